// task-get - show one task

#include "libteam/cli/command.h"
#include "libteam/cli/task_output.h"

namespace {

team::Exit get(team::Context& context, team::TaskId id) {
  const team::BoardView& view = context.session().view();
  const team::Task task = view.get(id);
  if (context.json() || !context.out().is_terminal()) {
    team::print_task(context, task);
  } else {
    team::print_task_page(context, {task, view.standing_of(task)});
  }
  return team::Exit::done;
}

}  // namespace

int task_get(int argc, char** argv) {
  team::TaskId id = 0;
  team::Command command("task-get", "show one task", "[options] ID");
  command.operand("ID", id, "the task to show");
  command.takes_team();
  command.takes_json();
  command.example("task-get 3");
  command.example("task-get 3 --json | jq -r .description");
  return command.run(argc, argv, [&](team::Context& context) { return get(context, id); });
}
