// teammate-stop - ask teammates to shut down, or kill them

#include "libteam/agent/life/shutdown.h"
#include "libteam/cli/command.h"

namespace {

struct Options {
  std::vector<std::string> names;
  bool all = false;
  std::optional<double> timeout;
  bool force = false;
};

team::Exit stop(team::Context& context, Options& options) {
  team::TeamSession session(context.engine(), context.team().name, context.actor());
  if (options.all) options.names = team::running_teammates(session);
  context.changes();
  const auto insist = options.force ? team::Insist::yes : team::Insist::no;
  constexpr double kPatience = 60;
  const auto stopped = team::stop_teammates(session, options.names, options.timeout.value_or(kPatience), insist);
  bool all = true;
  for (const team::Stopped& one : stopped) {
    const bool runs = team::runs_on(one);
    all = all && !runs;
    if (runs) team::no(context, team::describe(one));
    else if (context.json())
      context.out().line(fmt::format(R"({{"name":"{}","end":"{}"}})", one.name, name_of(one.kind)));
    else if (context.out().is_terminal()) context.out().line(team::describe(one));
    else context.out().line(fmt::format("{}\t{}", one.name, team::name_of(one.kind)));
  }
  return all ? team::Exit::done : team::Exit::no;
}

}  // namespace

int teammate_stop(int argc, char** argv) {
  Options options;
  team::Command command("teammate-stop", "ask teammates to shut down, or kill them", "[options] NAME... | --all");
  command.operand("[NAME...]", options.names, "the teammates to stop");
  command.flag("--all", options.all, "all running teammates");
  command.seconds("--timeout SECONDS", options.timeout, "how long to wait for answers and exits (60)");
  command.flag("--force", options.force, "then kill teammates that still run, and their processes");
  command.exactly_one({"NAME", "--all"});
  command.takes_all();
  command.example("teammate-stop coder-1");
  command.example("teammate-stop --all --timeout 10 --force");
  return command.run(argc, argv, [&](team::Context& context) { return stop(context, options); });
}
