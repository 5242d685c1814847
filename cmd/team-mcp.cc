// team-mcp - serve the board and the mail to an agent, as tools over MCP

#include "libteam/base/text.h"
#include "libteam/cli/command.h"
#include "libteam/mcp/stdio.h"
#include "libteam/mcp/team_features.h"

namespace {

struct Options {
  std::optional<std::string> tools;
  bool read_only = false;
};

team::Exit serve(team::Context& context, const Options& options) {
  team::TeamFeatureOptions features;
  features.self = context.actor_name();
  features.read_only = options.read_only;
  if (options.tools) features.tools = team::split(*options.tools, ',');
  // A client lives long, and its store may be made after it.
  std::unique_ptr<team::Context> opened;
  const auto open = [&]() -> team::TeamSession& {
    opened = std::make_unique<team::Context>(context.choices());
    return opened->session();
  };
  team::serve_stdio(std::make_shared<team::TeamFeatures>(open, features), 0, 1);
  return team::Exit::done;
}

}  // namespace

int team_mcp(int argc, char** argv) {
  Options options;
  team::Command command("team-mcp", "serve the board and the mail to an agent, as tools over MCP", "[options]");
  command.option("--tools LIST", options.tools, "only these tools, separated by commas");
  command.flag("--read-only", options.read_only, "only tools that change nothing");
  command.takes_team();
  command.takes_actor();
  command.takes_lock();
  command.example("claude mcp add team -- team-mcp --as claude");
  command.example("team-mcp -t alpha --as viewer --read-only");
  return command.run(argc, argv, [&](team::Context& context) { return serve(context, options); });
}
