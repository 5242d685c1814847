// team-wait - wait until a condition holds

#include "libteam/base/number.h"
#include "libteam/base/terminal_text.h"
#include "libteam/cli/command.h"
#include "libteam/cli/message_output.h"
#include "libteam/cli/progress.h"

namespace {

struct Options {
  std::string condition;
  std::optional<double> timeout;
  bool keep_waiting = false;
};

using team::WaitEnd;

// A message can always arrive, so this wait is never hopeless.
WaitEnd wait_for_message(team::Context& context, const team::WaitRules& rules) {
  const int reader = team::Output::kDescriptor;
  const bool has_come = context.session().wait_mail(rules.deadline, reader, [&](const team::Mailbox& mailbox) {
    bool any = false;
    mailbox.peek({}, 1, context.actor().run, [&](const team::Message&) { any = true; });
    return any;
  });
  return {has_come ? WaitEnd::Kind::done : WaitEnd::Kind::too_late};
}

WaitEnd wait_for(team::Context& context, const std::string& condition, const team::WaitRules& rules) {
  const team::TaskVisits quiet{[](const team::Task&) {}, [](team::TaskId, const team::Error&) {}};
  if (condition == "all-done") {
    return context.session().wait_all_ended(rules, quiet);
  }
  if (condition == "message") return wait_for_message(context, rules);
  if (condition.starts_with("task=")) {
    const auto id = team::parse_integer(condition.substr(5));
    if (!id || *id < 1) team::fail(team::Code::usage, "'{}' names no task", team::one_line(condition));
    return context.session().wait_ended({*id}, rules, quiet);
  }
  if (condition == "all-idle") return context.session().wait_all_idle(rules);
  if (condition.starts_with("idle=")) return context.session().wait_idle(condition.substr(5), rules);
  team::fail(team::Code::usage, "'{}' is not all-done, all-idle, idle=NAME, message or task=ID",
             team::one_line(condition));
}

team::Exit wait(team::Context& context, const Options& options) {
  team::WaitRules rules;
  if (options.timeout) rules.deadline = team::Deadline::in(*options.timeout);
  rules.keep_waiting = options.keep_waiting;
  std::optional<team::Progress> progress;
  if (options.condition != "message") {
    std::vector<team::TaskId> tasks;
    if (const auto id =
            options.condition.starts_with("task=") ? team::parse_integer(options.condition.substr(5)) : std::nullopt) {
      tasks = {*id};
    }
    progress.emplace(context.engine(), context.team_or_none(), team::Progress::Ending::by_signals, tasks);
  }
  const WaitEnd end = wait_for(context, options.condition, rules);
  progress.reset();
  if (end.kind == WaitEnd::Kind::done) return team::Exit::done;
  if (end.kind == WaitEnd::Kind::hopeless) return team::no(context, end.reason);
  return team::no(context, fmt::format("{} not within {} s", options.condition, *options.timeout));
}

}  // namespace

int team_wait(int argc, char** argv) {
  Options options;
  team::Command command("team-wait", "wait until a condition holds", "[options] CONDITION");
  command.operand("CONDITION", options.condition, "all-done, all-idle, idle=NAME, message or task=ID");
  command.seconds("--timeout SECONDS", options.timeout, "give up after this time, with exit status 1");
  command.flag("--keep-waiting", options.keep_waiting, "wait even if the condition can no longer hold");
  command.takes_team();
  command.takes_actor();
  command.example("team-wait all-done --timeout 10m");
  command.example("team-wait message --as lead && team-recv --as lead");
  return command.run(argc, argv, [&](team::Context& context) { return wait(context, options); });
}
