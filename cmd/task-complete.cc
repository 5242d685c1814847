// task-complete - complete a task and unblock the tasks that wait for it

#include "libteam/cli/command.h"
#include "libteam/cli/input.h"
#include "libteam/cli/task_output.h"

namespace {

team::Exit complete(team::Context& context, team::TaskId id, team::TaskChange& change) {
  team::read_if_dash(change.result);
  change.status = team::Status::completed;
  const team::TaskOperations operations = context.session().tasks();
  context.changes();
  const team::TaskUpdate update = operations.update(id, change);
  context.made();
  team::print_tasks(context, update.changed.freed);
  team::report_trouble(update.trouble);
  return team::Exit::done;
}

}  // namespace

int task_complete(int argc, char** argv) {
  team::TaskId id = 0;
  team::TaskChange change;
  team::Command command("task-complete", "complete a task and unblock the tasks that wait for it", "[options] ID");
  command.operand("ID", id, "the completed task");
  command.option("--result TEXT", change.result, "a summary of the work; - reads it from stdin");
  command.option("--deliverable PATH", change.deliverable, "the file that it produced, beneath the root");
  command.option("--if-rev N", change.if_rev, "fail if the task is not at this rev");
  command.takes_all();
  command.example("task-complete 1 --as backend --result '14 endpoints, see docs/rest.md'");
  command.example("make test 2>&1 | tail -5 | task-complete 7 --result -");
  return command.run(argc, argv, [&](team::Context& context) { return complete(context, id, change); });
}
