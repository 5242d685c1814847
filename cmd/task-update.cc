// task-update - change the fields or the status of a task

#include "libteam/base/terminal_text.h"
#include "libteam/cli/command.h"
#include "libteam/cli/input.h"
#include "libteam/cli/task_output.h"

namespace {

struct Options {
  team::TaskId task = 0;
  team::TaskChange change;
  std::vector<std::string> metadata;
};

// "KEY=VALUE" sets a key, "KEY" removes it.
std::pair<std::string, std::optional<std::string>> parse_metadata(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || text.empty()) team::fail(team::Code::usage, "--metadata: '{}' has no key", team::one_line(text));
  if (equals == std::string::npos) return {text, std::nullopt};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

team::Exit update(team::Context& context, Options& options) {
  team::check_texts(options.change);
  for (auto* text : {&options.change.description, &options.change.result, &options.change.reason})
    team::read_if_dash(*text);
  for (const std::string& text : options.metadata) options.change.metadata.push_back(parse_metadata(text));
  const team::TaskOperations operations = context.session().tasks();
  context.changes();
  const team::TaskUpdate update = operations.update(options.task, options.change);
  context.made();
  team::print_task(context, update.changed.task);
  team::report_trouble(update.trouble);
  return team::Exit::done;
}

}  // namespace

int task_update(int argc, char** argv) {
  Options options;
  team::TaskChange& change = options.change;
  team::Command command("task-update", "change the fields or the status of a task", "[options] ID");
  command.operand("ID", options.task, "the task to change");
  command.option("--subject TEXT", change.subject, "the title of the task");
  command.option("--description TEXT", change.description, "a description; - reads it from stdin");
  command.option("--active-form TEXT", change.active_form, "the text to show while it is in progress");
  command.option("--status STATUS", change.status, "claim (in_progress), complete, fail, release or reopen (pending)");
  command.option("--result TEXT", change.result, "a summary, with --status completed");
  command.option("--reason TEXT", change.reason, "the reason, with --status failed or pending");
  command.option("--owner NAME", change.owner, "assign a pending task; '' removes the owner");
  command.option("--priority N", change.priority, "0 normal, 1 high, 2 critical");
  command.option("--role ROLE", change.role, "only members of this role get it from --next; '' removes it");
  command.option("--deliverable PATH", change.deliverable, "a file that must exist when it completes; '' removes it");
  command.option("--check COMMAND", change.check, "must succeed before it completes; '' removes it");
  command.option("--add-blocked-by ID", change.add_blocked_by, "add blockers (repeatable, or with commas)");
  command.option("--remove-blocked-by ID", change.remove_blocked_by, "remove blockers");
  command.option("--metadata KEY=VALUE", options.metadata,
                 "set a key to JSON or text; KEY alone removes it (repeatable)");
  command.option("--if-rev N", change.if_rev, "fail if the task is not at this rev");
  command.at_least_one({"--subject", "--description", "--active-form", "--status", "--owner", "--priority", "--role",
                        "--deliverable", "--check", "--add-blocked-by", "--remove-blocked-by", "--metadata"});
  command.takes_all();
  command.example("task-update 4 --owner frontend --priority 2");
  command.example("task-update 4 --add-blocked-by 2,3");
  return command.run(argc, argv, [&](team::Context& context) { return update(context, options); });
}
