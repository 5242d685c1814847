// team-finish - shut down all teammates and mark the team as finished

#include "libteam/agent/life/finish.h"
#include "libteam/base/json_text.h"
#include "libteam/cli/command.h"
#include "libteam/cli/input.h"

namespace {

struct Options {
  std::optional<std::string> summary;
  std::optional<double> timeout;
  bool force = false;
};

team::Exit finish(team::Context& context, Options& options) {
  team::read_if_dash(options.summary);
  team::TeamSession session(context.engine(), context.team().name, context.actor());
  context.changes();
  const auto staying =
      team::finish_team(session, {options.summary, options.force ? team::Insist::yes : team::Insist::no,
                                  options.timeout.value_or(team::Finish{}.seconds)});
  for (const auto& one : staying) team::no(context, team::describe(one));
  if (!staying.empty()) return team::Exit::no;
  if (context.json()) {
    team::JsonText line;
    line.add("team", session.team().name);
    line.add("finishedAt", session.team().finished_at);
    line.add("summary", session.team().summary);
    context.out().line(line.take());
  }
  return team::Exit::done;
}

}  // namespace

int team_finish(int argc, char** argv) {
  Options options;
  team::Command command("team-finish", "shut down all teammates and mark the team as finished", "[options]");
  command.option("--summary TEXT", options.summary, "a summary of the work; - reads it from stdin");
  command.flag("--force", options.force, "finish even if tasks have not ended; kill teammates that do not end");
  command.seconds("--timeout SECONDS", options.timeout, "how long to wait until the teammates have ended (60)");
  command.takes_all();
  command.example("team-finish --summary 'All endpoints moved, tests pass'");
  return command.run(argc, argv, [&](team::Context& context) { return finish(context, options); });
}
