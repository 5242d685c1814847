#include "libteam/cli/task_output.h"

#include "libteam/base/clock.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/time_text.h"
#include "libteam/cli/tones.h"

namespace team {

namespace {

std::string list_ids(const std::vector<TaskId>& ids) {
  std::vector<std::string> parts;
  for (const TaskId id : ids) parts.push_back(std::to_string(id));
  return parts.empty() ? "-" : join(parts, ",");
}

std::string_view name_of_priority(int priority) {
  return priority == 2 ? "critical" : priority == 1 ? "high" : "normal";
}

}  // namespace

void report_trouble(const std::string& trouble) {
  if (!trouble.empty()) fail(Code::unknown, "{}", trouble);
}

void warn_of(const Error& error) { warn(fmt::format("{}: {}", name_of(error.code()), error.what())); }

void warn_of_broken(TaskId, const Error& error) { warn_of(error); }

std::vector<std::string> task_headings() { return {"ID", "STATUS", "OWNER", "PRI", "WAITS", "SUBJECT"}; }

std::vector<Cell> task_row(const SeenTask& seen) {
  const Task& task = seen.task;
  const bool waits = !seen.standing.open_blockers.empty() && !has_ended(task.status);
  return {{std::to_string(task.id)},
          {std::string(name_of(task.status)), waits ? tone_of(TaskState::blocked) : tone_of(task.status)},
          {task.owner.value_or("-")},
          {std::to_string(task.priority)},
          {waits ? list_ids(seen.standing.open_blockers) : "-"},
          {task.subject}};
}

void print_tasks(Context& context, const std::vector<Task>& tasks) {
  const BoardView& view = context.session().board().view();
  Table table(context.out(), task_headings());
  for (const Task& task : tasks) {
    if (context.json()) context.out().line(to_line(task, view.standing_of(task)));
    else table.row(task_row({task, {.blocks = {}, .open_blockers = view.open_blockers(task)}}));
  }
  table.finish();
}

void print_task(Context& context, const Task& task) { print_tasks(context, {task}); }

void print_task_page(Context& context, const SeenTask& seen) {
  Output& out = context.out();
  const Task& task = seen.task;
  const auto field = [&](std::string_view name, std::string_view value) {
    if (!value.empty())
      out.line(fmt::format("{}  {}", out.paint(fmt::format("{:>12}", name), Output::Tone::faint), value));
  };
  out.line(out.paint(fmt::format("#{} {}", task.id, one_line(task.subject)), Output::Tone::strong));
  field("status", out.paint(name_of(task.status), tone_of(task.status)));
  field("owner", task.owner.value_or(""));
  if (task.priority > 0) field("priority", name_of_priority(task.priority));
  field("role", task.role.value_or(""));
  if (!task.blocked_by.empty()) field("blocked by", list_ids(task.blocked_by));
  if (!seen.standing.open_blockers.empty()) field("still open", list_ids(seen.standing.open_blockers));
  if (!seen.standing.blocks.empty()) field("blocks", list_ids(seen.standing.blocks));
  field("deliverable", task.deliverable ? one_line(*task.deliverable) : "");
  if (task.created_at > 0)
    field("created", fmt::format("{} by {}", time_and_age(task.created_at, now()), task.created_by));
  if (task.claimed_at) field("claimed", time_and_age(*task.claimed_at, now()));
  if (task.completed_at) field("ended", time_and_age(*task.completed_at, now()));
  if (task.attempts > 1) field("attempts", std::to_string(task.attempts));
  field("error", task.error ? one_line(*task.error) : "");
  field("result", task.result ? one_line(*task.result) : "");
  field("rev", std::to_string(task.rev));
  if (!task.description.empty()) {
    out.line("");
    for (const std::string& line : split(task.description, '\n')) out.line("  " + one_line(line));
  }
}

}  // namespace team
