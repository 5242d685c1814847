// team-wait - wait until something is so

#include "libteam/base/text.h"
#include "libteam/cli/command.h"
#include "libteam/cli/progress.h"
#include "libteam/store/presence.h"

namespace {

struct Options {
  std::string condition;
  std::optional<double> timeout;
};

bool wait_for(team::Context& context, const std::string& condition, const team::Deadline& deadline) {
  const auto quiet = [](const team::Task&) {};
  if (condition == "all-done") {
    return context.board().view().wait_all_ended(deadline, quiet, [](team::TaskId, const team::Error&) {});
  }
  if (condition == "message") {
    const team::Mailbox mailbox = context.mail().mailbox(context.actor().name);
    return mailbox.wait(deadline, team::Output::kDescriptor, [&] {
      bool any = false;
      mailbox.peek({}, 1, context.actor().run, [&](const team::Message&) { any = true; });
      return any;
    });
  }
  if (condition.starts_with("task=")) {
    const auto id = team::parse_integer(condition.substr(5));
    if (!id || *id < 1) team::fail(team::Code::usage, "'{}' names no task", team::one_line(condition));
    return context.board().view().wait_ended({*id}, deadline, quiet);
  }
  if (condition == "all-idle") {
    const std::string name = context.team().name;
    return context.mail().wait(deadline, [&] {
      const team::Team team = context.roster().get(name);  // others may have joined
      return team::is_all_idle(context.roster(), team, context.board());
    });
  }
  if (condition.starts_with("idle=")) {
    const std::string name = condition.substr(5);
    context.mail().mailbox(name);  // throws if there is no such member
    return context.mail().wait(deadline, [&] { return team::idles(context.roster(), context.team(), name); });
  }
  team::fail(team::Code::usage, "'{}' is not all-done, all-idle, idle=NAME, message or task=ID",
             team::one_line(condition));
}

team::Exit wait(team::Context& context, const Options& options) {
  const auto deadline = options.timeout ? team::Deadline::in(*options.timeout) : team::Deadline::never();
  std::optional<team::Progress> progress;
  if (options.condition != "message") {
    std::vector<team::TaskId> tasks;
    if (const auto id =
            options.condition.starts_with("task=") ? team::parse_integer(options.condition.substr(5)) : std::nullopt) {
      tasks = {*id};
    }
    progress.emplace(context.root(), context.team_or_none(), team::Progress::Ending::by_signals, tasks);
  }
  const bool is_so = wait_for(context, options.condition, deadline);
  progress.reset();
  if (is_so) return team::Exit::done;
  return team::no(context, fmt::format("{} not within {} s", options.condition, *options.timeout));
}

}  // namespace

int team_wait(int argc, char** argv) {
  Options options;
  team::Command command("team-wait", "wait until something is so", "[options] CONDITION");
  command.operand("CONDITION", options.condition, "all-done, all-idle, idle=NAME, message or task=ID");
  command.seconds("--timeout SECONDS", options.timeout, "give up after this long, with exit status 1");
  command.takes_team();
  command.takes_actor();
  command.example("team-wait all-done --timeout 10m");
  command.example("team-wait message --as lead && team-recv --as lead");
  return command.run(argc, argv, [&](team::Context& context) { return wait(context, options); });
}
