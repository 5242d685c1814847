// task-delete - remove a task from the board

#include "libteam/cli/command.h"

namespace {

struct Options {
  team::TaskId task = 0;
  std::optional<std::int64_t> if_rev;
};

team::Exit remove_task(team::Context& context, const Options& options) {
  const team::TeamSession& session = context.session();
  context.changes();
  session.remove(options.task, options.if_rev);
  return team::Exit::done;
}

}  // namespace

int task_delete(int argc, char** argv) {
  Options options;
  team::Command command("task-delete", "remove a task from the board", "[options] ID");
  command.operand("ID", options.task, "the task to delete");
  command.option("--if-rev N", options.if_rev, "fail if the task is not at this rev");
  command.takes_all();
  command.example("task-delete 9");
  return command.run(argc, argv, [&](team::Context& context) { return remove_task(context, options); });
}
