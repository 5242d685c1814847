// task-create - put a task on the board

#include <unistd.h>

#include "libteam/base/text.h"
#include "libteam/cli/command.h"
#include "libteam/cli/input.h"

namespace {

struct Options {
  std::string subject;
  team::Draft draft;
};

std::vector<team::Draft> read_batch() {
  std::vector<team::Draft> drafts;
  team::each_input_line([&](const std::string& line, std::size_t number) {
    drafts.push_back(team::parse_draft(line, fmt::format("line {}", number)));
  });
  return drafts;
}

team::Exit create(team::Context& context, Options& options) {
  std::vector<team::Draft> drafts;
  if (options.subject == "-") {
    drafts = read_batch();
  } else {
    options.draft.task.subject = options.subject;
    team::check_task(options.draft.task);
    drafts.push_back(options.draft);
  }
  context.make_root_here();
  const team::Actor& actor = context.actor();
  context.changes();
  for (const team::TaskId id : context.board().create(std::move(drafts), actor)) {
    context.out().line(std::to_string(id));
  }
  return team::Exit::done;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  team::Task& task = options.draft.task;
  std::optional<int> priority;
  std::optional<std::string> description, active_form;
  team::Command command("task-create", "put a task on the board", "[options] SUBJECT | -");
  command.operand("SUBJECT", options.subject, "what is to be done; - reads a batch of JSON lines from stdin");
  command.option("--description TEXT", task.description, "what there is to know about it");
  command.option("--blocked-by ID", task.blocked_by, "wait for these tasks (repeated, or with commas)");
  command.option("--owner NAME", task.owner, "assign it");
  command.option("--priority N", priority, "0 normal, 1 high, 2 critical");
  command.option("--role ROLE", task.role, "only members of this role take it by --next");
  command.option("--active-form TEXT", task.active_form, "what to say while it is worked on");
  command.option("--deliverable PATH", task.deliverable, "what must exist when it completes, beneath the root");
  command.takes_all();
  command.example("task-create 'Analyze REST endpoints'");
  command.example("task-create 'Design GraphQL schema' --blocked-by 1 --priority 1");
  return command.run(argc, argv, [&](team::Context& context) {
    task.priority = priority.value_or(0);
    return create(context, options);
  });
}
