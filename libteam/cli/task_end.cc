#include "libteam/cli/task_end.h"

#include "libteam/cli/command.h"
#include "libteam/cli/input.h"
#include "libteam/cli/task_output.h"

namespace team {

int end_task(int argc, char** argv, Status status) {
  const bool fails = status == Status::failed;
  TaskId id = 0;
  TaskChange change;
  change.status = status;
  Command command(fails ? "task-fail" : "task-release",
                  fails ? "mark a task as failed, with the reason" : "give a claimed task back", "[options] ID");
  command.operand("ID", id, fails ? "the task that failed" : "the task to give back");
  command.option("--reason TEXT", change.reason, "why; - reads it from stdin");
  command.option("--if-rev N", change.if_rev, "only if the task is still at this rev");
  command.takes_all();
  command.example(fails ? "task-fail 3 --reason 'the schema has no query type'"
                        : "task-release 3 --as backend --reason 'needs a database'");
  return command.run(argc, argv, [&](Context& context) {
    read_if_dash(change.reason);
    const TaskOperations operations = context.session().tasks();
    context.changes();
    const TaskUpdate update = operations.update(id, change);
    context.made();
    print_task(context, update.changed.task);
    report_trouble(update.trouble);
    return Exit::done;
  });
}

}  // namespace team
