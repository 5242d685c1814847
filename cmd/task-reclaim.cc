// task-reclaim - release tasks whose owner died or whose lease expired

#include "libteam/cli/command.h"
#include "libteam/cli/task_output.h"

namespace {

team::Exit reclaim(team::Context& context) {
  const team::TeamSession& session = context.session();
  context.changes();
  team::print_tasks(context, session.reclaim());
  return team::Exit::done;
}

}  // namespace

int task_reclaim(int argc, char** argv) {
  team::Command command("task-reclaim", "release tasks whose owner died or whose lease expired", "[options]");
  command.takes_team();
  command.takes_json();
  command.takes_lock();
  command.example("task-reclaim");
  return command.run(argc, argv, reclaim);
}
