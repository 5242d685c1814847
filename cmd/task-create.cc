// task-create - add a task to the board

#include "libteam/cli/command.h"
#include "libteam/cli/input.h"
#include "libteam/cli/task_output.h"

namespace {

struct Options {
  std::string subject;
  std::string description, active_form;
  std::optional<std::string> owner, role, deliverable, check;
  std::optional<int> priority;
  std::vector<team::TaskId> blocked_by;

  bool any() const {
    return !description.empty() || !active_form.empty() || owner || role || deliverable || check || priority ||
           !blocked_by.empty();
  }
};

team::Draft make_draft(const Options& options) {
  team::Draft draft;
  draft.task.subject = options.subject;
  draft.task.description = options.description;
  draft.task.active_form = options.active_form;
  draft.task.owner = options.owner;
  draft.task.role = options.role;
  draft.task.deliverable = options.deliverable;
  draft.task.check = options.check;
  draft.task.priority = options.priority.value_or(0);
  draft.task.blocked_by = options.blocked_by;
  team::check_task(draft.task);
  return draft;
}

std::vector<team::Draft> read_batch(const Options& options) {
  if (options.any()) team::fail(team::Code::usage, "- cannot be combined with options that describe a task");
  std::vector<team::Draft> drafts;
  team::each_input_line([&](const std::string& line, std::size_t number) {
    drafts.push_back(team::parse_draft(line, fmt::format("line {}", number)));
  });
  return drafts;
}

team::Exit create(team::Context& context, Options& options) {
  team::read_if_dash(options.description);
  auto drafts = options.subject == "-" ? read_batch(options) : std::vector{make_draft(options)};
  context.make_root_here();
  const team::TaskOperations operations = context.session().tasks();
  context.changes();
  const team::TaskCreation creation = operations.create(std::move(drafts));
  context.made();
  for (const team::TaskId id : creation.ids) {
    context.out().line(context.json() ? fmt::format("{{\"id\":{}}}", id) : std::to_string(id));
  }
  team::report_trouble(creation.trouble);
  return team::Exit::done;
}

}  // namespace

int task_create(int argc, char** argv) {
  Options options;
  team::Command command("task-create", "add a task to the board", "[options] SUBJECT | -");
  command.operand("SUBJECT", options.subject, "the title of the task; - reads a batch of JSON lines from stdin");
  command.option("--description TEXT", options.description, "a description; - reads it from stdin");
  command.option("--blocked-by ID", options.blocked_by, "the blockers (repeatable, or with commas)");
  command.option("--owner NAME", options.owner, "assign the task");
  command.option("--priority N", options.priority, "0 normal, 1 high, 2 critical");
  command.option("--role ROLE", options.role, "only members of this role get it from task-claim --next");
  command.option("--active-form TEXT", options.active_form, "the text to show while it is in progress");
  command.option("--deliverable PATH", options.deliverable, "a file that must exist at completion, beneath the root");
  command.option("--check COMMAND", options.check, "run by sh before it completes; it must succeed");
  command.makes_store();
  command.takes_all();
  command.example("task-create 'Analyze REST endpoints'");
  command.example("task-create 'Design GraphQL schema' --blocked-by 1 --priority 1");
  return command.run(argc, argv, [&](team::Context& context) { return create(context, options); });
}
