// task-claim - take a task and become its owner

#include "libteam/cli/command.h"
#include "libteam/cli/task_output.h"

namespace {

struct Options {
  std::optional<team::TaskId> task;
  bool next = false;
  std::optional<std::optional<double>> wait;
};

std::optional<team::Task> take(team::Context& context, const Options& options) {
  team::Board& board = context.board();
  if (!options.next) return board.claim(*options.task, context.actor());
  const auto deadline = options.wait && *options.wait ? team::Deadline::in(**options.wait) : team::Deadline::never();
  auto claimed = options.wait ? board.wait_next(context.actor(), deadline) : board.claim_next(context.actor());
  return claimed ? std::optional(std::move(claimed->task)) : std::nullopt;
}

team::Exit claim(team::Context& context, const Options& options) {
  context.actor();  // throws if one cannot be that
  context.changes();
  const auto task = take(context, options);
  if (!task) return team::no(context, "nothing is ready");
  context.made();
  team::print_task(context, *task);
  return team::Exit::done;
}

}  // namespace

int task_claim(int argc, char** argv) {
  Options options;
  team::Command command("task-claim", "take a task and become its owner", "[options] ID | --next");
  command.operand("[ID]", options.task, "the task to take");
  command.flag("--next", options.next, "take the next ready task: mine first, then free ones; by priority, then id");
  command.optional_seconds("--wait SECONDS", options.wait, "with --next: wait while others may still free something");
  command.exactly_one({"ID", "--next"});
  command.at_most_one({"ID", "--wait"});
  command.takes_all();
  command.example("task-claim 3 --as backend");
  command.example("while t=$(task-claim --next --wait --as me); do run \"${t%%[[:blank:]]*}\"; done");
  return command.run(argc, argv, [&](team::Context& context) { return claim(context, options); });
}
