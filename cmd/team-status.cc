// team-status - show a team at a glance

#include "libteam/cli/command.h"
#include "libteam/cli/status_output.h"
#include "libteam/cli/task_output.h"

namespace {

struct Options {
  bool brief = false;
};

team::Exit show(team::Context& context, const Options& options) {
  const team::TeamStatus status = context.session().status(team::warn_of_broken);
  if (context.json()) {
    context.out().line(to_line(status));
  } else if (options.brief) {
    for (const std::string& line : team::brief(status)) context.out().line(line);
  } else {
    team::print_status(context, status);
  }
  return team::Exit::done;
}

}  // namespace

int team_status(int argc, char** argv) {
  Options options;
  team::Command command("team-status", "show a team at a glance", "[options]");
  command.flag("--brief", options.brief, "at most 16 lines, for the context of a model");
  command.at_most_one({"--brief", "--json"});
  command.takes_team();
  command.takes_json();
  command.example("team-status");
  command.example("team-status --json | jq .tasks");
  return command.run(argc, argv, [&](team::Context& context) { return show(context, options); });
}
