// task-wait - wait until tasks have ended

#include "libteam/base/clock.h"
#include "libteam/base/text.h"
#include "libteam/cli/command.h"
#include "libteam/cli/progress.h"
#include "libteam/cli/task_output.h"

namespace {

struct Options {
  std::vector<team::TaskId> tasks;
  std::optional<double> timeout;
};

team::Exit wait(team::Context& context, const Options& options) {
  const auto deadline = options.timeout ? team::Deadline::in(*options.timeout) : team::Deadline::never();
  std::vector<std::string> failed;
  team::Progress progress(context.root(), context.team_or_none(), team::Progress::Ending::by_signals, options.tasks);
  const auto print = [&](const team::Task& task) {
    if (task.status == team::Status::failed) failed.push_back(std::to_string(task.id));
    // As they come: a person sees a line each, without a heading.
    if (context.out().is_terminal())
      context.out().line(fmt::format("#{} {}  {}", task.id, name_of(task.status), team::one_line(task.subject)));
    else team::print_task(context, task);
    context.out().flush();
  };
  const auto ended = [&](const team::Task& task) { say_beside(progress, [&] { print(task); }); };
  const auto broken = [&](team::TaskId id, const team::Error& error) {
    say_beside(progress, [&] { team::warn_of_broken(id, error); });
  };
  const team::BoardView& view = context.board().view();
  const bool all = options.tasks.empty() ? view.wait_all_ended(deadline, ended, broken)
                                         : view.wait_ended(options.tasks, deadline, ended);
  progress.hide();
  if (!all) return team::no(context, fmt::format("not within {} s", *options.timeout));
  if (!failed.empty()) return team::no(context, fmt::format("failed: {}", team::join(failed, ", ")));
  return team::Exit::done;
}

}  // namespace

int task_wait(int argc, char** argv) {
  Options options;
  team::Command command("task-wait", "wait until tasks have ended", "[options] [ID ...]");
  command.operand("[ID...]", options.tasks, "the tasks to wait for; none: all that are on the board now");
  command.seconds("--timeout SECONDS", options.timeout, "give up after this long, with exit status 1");
  command.takes_team();
  command.takes_json();
  command.example("task-wait 3 4 && echo both done");
  command.example("task-wait --timeout 10m");
  return command.run(argc, argv, [&](team::Context& context) { return wait(context, options); });
}
