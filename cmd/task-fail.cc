// task-fail - mark a task as failed, with the reason

#include "libteam/cli/command.h"
#include "libteam/cli/task_output.h"

namespace {

team::Exit mark_failed(team::Context& context, team::TaskId id, team::TaskChange& change) {
  change.status = team::Status::failed;
  const team::Actor& actor = context.actor();
  context.changes();
  team::print_task(context, context.board().change(id, change, actor).task);
  return team::Exit::done;
}

}  // namespace

int main(int argc, char** argv) {
  team::TaskId id = 0;
  team::TaskChange change;
  team::Command command("task-fail", "mark a task as failed, with the reason", "[options] ID");
  command.operand("ID", id, "the task that failed");
  command.option("--reason TEXT", change.reason, "why");
  command.option("--if-rev N", change.if_rev, "only if the task is still at this rev");
  command.takes_all();
  command.example("task-fail 3 --reason 'the schema has no query type'");
  return command.run(argc, argv, [&](team::Context& context) { return mark_failed(context, id, change); });
}
