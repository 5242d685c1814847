// task-claim - take a task and become its owner

#include "libteam/cli/command.h"
#include "libteam/cli/task_output.h"

namespace {

struct Options {
  std::optional<team::TaskId> task;
  bool next = false;
  std::optional<std::optional<double>> wait;
  bool keep_waiting = false;
};

// The claimed task, or the reason why there is none.
struct Taken {
  std::optional<team::Task> task;
  std::string reason = "nothing is ready";
};

Taken take_next(const team::TeamSession& session, const Options& options) {
  if (!options.wait) {
    auto claimed = session.claim_next();
    return claimed ? Taken{std::move(claimed->task)} : Taken{};
  }
  team::WaitRules rules;
  if (*options.wait) rules.deadline = team::Deadline::in(**options.wait);
  rules.keep_waiting = options.keep_waiting;
  auto [claimed, end] = session.wait_next(rules);
  if (claimed) return {std::move(claimed->task)};
  const bool is_stuck = end.kind == team::WaitEnd::Kind::hopeless && !end.reason.empty();
  return is_stuck ? Taken{{}, "nothing can become ready: " + end.reason} : Taken{};
}

team::Exit claim(team::Context& context, const Options& options) {
  team::TeamSession& session = context.session();
  context.changes();
  const Taken taken = options.next ? take_next(session, options) : Taken{session.claim(*options.task)};
  if (!taken.task) return team::no(context, taken.reason);
  context.made();
  team::print_task(context, *taken.task);
  return team::Exit::done;
}

}  // namespace

int task_claim(int argc, char** argv) {
  Options options;
  team::Command command("task-claim", "take a task and become its owner", "[options] ID | --next");
  command.operand("[ID]", options.task, "the task to claim");
  command.flag("--next", options.next, "claim the next ready task: assigned ones first; by priority, then id");
  command.optional_seconds("--wait SECONDS", options.wait, "with --next: wait while a task can become ready");
  command.flag("--keep-waiting", options.keep_waiting, "with --wait: wait even if nothing can become ready");
  command.exactly_one({"ID", "--next"});
  command.at_most_one({"ID", "--wait"});
  command.at_most_one({"ID", "--keep-waiting"});
  command.takes_all();
  command.example("task-claim 3 --as backend");
  command.example("while t=$(task-claim --next --wait --as me); do run \"${t%%[[:blank:]]*}\"; done");
  return command.run(argc, argv, [&](team::Context& context) { return claim(context, options); });
}
