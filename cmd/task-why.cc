// task-why - explain why a task is not ready or not completed

#include "libteam/cli/command.h"

namespace {

team::Exit why(team::Context& context, team::TaskId id) {
  team::Table table(context.out(), {"TASK", "KIND", "REASON"});
  for (const team::Reason& reason : context.session().explain(id)) {
    if (context.json()) context.out().line(to_line(reason));
    else table.row({{std::to_string(reason.task)}, {reason.kind}, {reason.text}});
  }
  table.finish();
  return team::Exit::done;
}

}  // namespace

int task_why(int argc, char** argv) {
  team::TaskId id = 0;
  team::Command command("task-why", "explain why a task is not ready or not completed", "[options] ID");
  command.operand("ID", id, "the task to explain");
  command.takes_team();
  command.takes_json();
  command.example("task-why 4");
  return command.run(argc, argv, [&](team::Context& context) { return why(context, id); });
}
