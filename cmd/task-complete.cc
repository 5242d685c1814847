// task-complete - complete a task and unblock the tasks that wait for it

#include "libteam/cli/command.h"
#include "libteam/cli/input.h"
#include "libteam/cli/task_output.h"
#include "libteam/repo/gates.h"

namespace {

// Runs the gates here, and completes the task.
team::TaskUpdate pass_gates(team::TeamSession& session, team::TaskId id, const team::TaskChange& change) {
  team::FinishedWork work;
  work.task = session.view().get(id);
  team::check_rev(work.task, change.if_rev);
  if (change.deliverable) work.task.deliverable = *change.deliverable;
  work.result = change.result;
  team::Finished finished = finish_in_root(session, work);
  if (finished.kind != team::Finished::Kind::completed) {
    team::fail(team::Code::invalid_state, "{}", finished.reason);
  }
  return std::move(finished.update);
}

team::Exit complete(team::Context& context, team::TaskId id, team::TaskChange& change, bool waits) {
  team::read_if_dash(change.result);
  change.status = team::Status::completed;
  team::TeamSession& session = context.session();
  bool is_checked_here = false;  // work in a tree passes its gates there
  if (waits) {
    const team::Task task = session.view().get(id);
    is_checked_here = !task.base;
    if (is_checked_here && !session.board().check_of(task).empty()) {
      context.require_trust(fmt::format("the check of task {}", id));
    }
  }
  context.changes();
  const team::TaskUpdate update =
      is_checked_here ? pass_gates(session, id, change) : session.tasks().update(id, change);
  context.made();
  if (update.changed.task.offer) team::warn(fmt::format("task {} is offered: its gates run when this work ends", id));
  team::print_tasks(context, update.changed.freed);
  team::report_trouble(update.trouble);
  return team::Exit::done;
}

}  // namespace

int task_complete(int argc, char** argv) {
  team::TaskId id = 0;
  team::TaskChange change;
  bool waits = false;
  team::Command command("task-complete", "complete a task and unblock the tasks that wait for it", "[options] ID");
  command.operand("ID", id, "the completed task");
  command.option("--result TEXT", change.result, "a summary of the work; - reads it from stdin");
  command.option("--deliverable PATH", change.deliverable, "the file that it produced, beneath the root");
  command.flag("--wait", waits, "run the check of the task here and wait for it");
  command.option("--if-rev N", change.if_rev, "fail if the task is not at this rev");
  command.takes_all();
  command.example("task-complete 1 --as backend --result '14 endpoints, see docs/rest.md'");
  command.example("make test 2>&1 | tail -5 | task-complete 7 --result -");
  return command.run(argc, argv, [&](team::Context& context) { return complete(context, id, change, waits); });
}
