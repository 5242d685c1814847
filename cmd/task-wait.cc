// task-wait - wait until tasks have ended

#include "libteam/base/clock.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/cli/command.h"
#include "libteam/cli/progress.h"
#include "libteam/cli/task_output.h"

namespace {

struct Options {
  std::vector<team::TaskId> tasks;
  std::optional<double> timeout;
  bool keep_waiting = false;
};

team::Exit wait(team::Context& context, const Options& options) {
  team::WaitRules rules;
  if (options.timeout) rules.deadline = team::Deadline::in(*options.timeout);
  rules.keep_waiting = options.keep_waiting;
  std::vector<std::string> failed;
  team::Progress progress(context.engine(), context.team_or_none(), team::Progress::Ending::by_signals, options.tasks);
  const auto print = [&](const team::Task& task) {
    if (task.status == team::Status::failed) failed.push_back(std::to_string(task.id));
    // Tasks end one by one, so a terminal gets one line each instead of a table.
    if (context.out().is_terminal())
      context.out().line(fmt::format("#{} {}  {}", task.id, name_of(task.status), team::one_line(task.subject)));
    else team::print_task(context, task);
    context.out().flush();
  };
  const auto ended = [&](const team::Task& task) { say_beside(progress, [&] { print(task); }); };
  const auto broken = [&](team::TaskId id, const team::Error& error) {
    say_beside(progress, [&] { team::warn_of_broken(id, error); });
  };
  const team::TeamSession& session = context.session();
  const team::TaskVisits visits{ended, broken};
  const team::WaitEnd end =
      options.tasks.empty() ? session.wait_all_ended(rules, visits) : session.wait_ended(options.tasks, rules, visits);
  progress.hide();
  if (end.kind == team::WaitEnd::Kind::too_late) {
    return team::no(context, fmt::format("not within {} s", *options.timeout));
  }
  if (end.kind == team::WaitEnd::Kind::hopeless) return team::no(context, end.reason);
  if (!failed.empty()) return team::no(context, fmt::format("failed: {}", team::join(failed, ", ")));
  return team::Exit::done;
}

}  // namespace

int task_wait(int argc, char** argv) {
  Options options;
  team::Command command("task-wait", "wait until tasks have ended", "[options] [ID ...]");
  command.operand("[ID...]", options.tasks, "the tasks to wait for; none: all that are on the board");
  command.seconds("--timeout SECONDS", options.timeout, "give up after this time, with exit status 1");
  command.flag("--keep-waiting", options.keep_waiting,
               "wait even if a task cannot end, such as one that waits for a failed task");
  command.takes_team();
  command.takes_json();
  command.example("task-wait 3 4 && echo both done");
  command.example("task-wait --timeout 10m");
  return command.run(argc, argv, [&](team::Context& context) { return wait(context, options); });
}
