// task-release - give a claimed task back

#include "libteam/cli/command.h"
#include "libteam/cli/task_output.h"

namespace {

team::Exit release(team::Context& context, team::TaskId id, team::TaskChange& change) {
  change.status = team::Status::pending;
  const team::Actor& actor = context.actor();
  context.changes();
  team::print_task(context, context.board().change(id, change, actor).task);
  return team::Exit::done;
}

}  // namespace

int main(int argc, char** argv) {
  team::TaskId id = 0;
  team::TaskChange change;
  team::Command command("task-release", "give a claimed task back", "[options] ID");
  command.operand("ID", id, "the task to give back");
  command.option("--reason TEXT", change.reason, "why");
  command.option("--if-rev N", change.if_rev, "only if the task is still at this rev");
  command.takes_all();
  command.example("task-release 3 --as backend --reason 'needs a database'");
  return command.run(argc, argv, [&](team::Context& context) { return release(context, id, change); });
}
