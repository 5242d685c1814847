#include "libteam/cli/status_output.h"

#include "libteam/base/clock.h"
#include "libteam/base/columns.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/time_text.h"
#include "libteam/cli/tones.h"

namespace team {

namespace {

using Tone = Output::Tone;

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

// The reason of a state, if it tells more than the member's last words.
std::string words_of(const MemberStatus& member) {
  const bool works = member.state == "active" || member.state == "idle" || member.state == "running";
  if (!works && !member.reason.empty()) return member.reason;
  if (!member.last_words.empty()) return member.last_words;
  return member.state == "active" ? member.reason : "";
}

std::vector<Cell> cells_of(const MemberStatus& member) {
  const std::int64_t used = total(member.usage);
  return {{member.name},
          {member.role.value_or("-")},
          {member.state, tone_of_member(member.state)},
          {member.since && member.state != "dead" ? describe_seconds(now() - *member.since) : "-"},
          {member.task ? fmt::format("#{}", *member.task) : "-"},
          {member.unread > 0 ? std::to_string(member.unread) : "-"},
          {used > 0 ? describe_count(used) : "-"},
          {or_dash(words_of(member))}};
}

std::vector<Cell> cells_of(const TaskNote& note) {
  const std::string subject = cut_columns(one_line(note.subject), 40);
  return {{std::to_string(note.id)},
          {std::string(name_of(note.kind)), tone_of(note.kind)},
          {note.owner.value_or("-")},
          {subject},
          {or_dash(note.note)}};
}

std::vector<Cell> cells_of(const PlanNote& plan) {
  return {{plan.id},
          {plan.from},
          {plan.task ? fmt::format("#{}", *plan.task) : "-"},
          {describe_seconds(now() - plan.since)},
          {or_dash(plan.summary)}};
}

void print_headline(Output& out, const TeamStatus& status) {
  const BoardStatus& tasks = status.tasks;
  std::string text = fmt::format("{}, led by {}", status.team, status.lead);
  out.line(out.paint(text, Tone::strong));
  text = fmt::format("{} of {} tasks done", tasks.completed, tasks.total);
  const auto add = [&](std::size_t count, const char* what, Tone tone) {
    if (count > 0) text += ", " + out.paint(fmt::format("{} {}", count, what), tone);
  };
  add(tasks.in_progress, "in progress", tone_of(TaskState::running));
  add(tasks.ready, "ready", tone_of(TaskState::ready));
  add(tasks.blocked, "blocked", tone_of(TaskState::blocked));
  add(tasks.failed, "failed", tone_of(TaskState::failed));
  if (total(status.usage) > 0) text += fmt::format("; {} tokens", describe_count(total(status.usage)));
  if (total(status.usage) > 0 && status.cost) text += fmt::format(", ${:.2f}", *status.cost);
  out.line(text);
}

template <class Items>
void print_table(Output& out, std::vector<std::string> headings, const Items& items) {
  if (items.empty()) return;
  out.line("");
  Table table(out, std::move(headings));
  for (const auto& item : items) table.row(cells_of(item));
  table.finish();
}

void print_screen(Output& out, const TeamStatus& status) {
  print_headline(out, status);
  print_table(out, {"MEMBER", "ROLE", "STATE", "FOR", "TASK", "UNREAD", "USED", "WORDS"}, status.members);
  print_table(out, {"TASK", "STATUS", "OWNER", "SUBJECT", "WHY"}, status.tasks.notes);
  const BoardStatus& tasks = status.tasks;
  const std::size_t open = tasks.total - tasks.completed;
  if (open > tasks.notes.size())
    out.line(out.paint(fmt::format("and {} more", open - tasks.notes.size()), Tone::faint));
  print_table(out, {"PLAN", "FROM", "TASK", "FOR", "SUMMARY"}, status.plans);
  if (!status.warnings.empty()) out.line("");
  for (const Warning& warning : status.warnings) out.line(out.paint("! " + one_line(warning.text), Tone::bad));
}

void print_record(Output& out, const std::string& kind, const std::vector<std::string>& fields) {
  std::string line = kind;
  for (const std::string& field : fields) line += "\t" + or_dash(one_line(field));
  out.line(line);
}

template <class Items>
void print_records(Output& out, const std::string& kind, const Items& items) {
  for (const auto& item : items) {
    std::vector<std::string> fields;
    for (const Cell& cell : cells_of(item)) fields.push_back(cell.text);
    print_record(out, kind, fields);
  }
}

void print_all_records(Output& out, const TeamStatus& status) {
  print_records(out, "member", status.members);
  const BoardStatus& tasks = status.tasks;
  print_record(out, "tasks", {"ready", std::to_string(tasks.ready)});
  print_record(out, "tasks", {"blocked", std::to_string(tasks.blocked)});
  print_record(out, "tasks", {"in_progress", std::to_string(tasks.in_progress)});
  print_record(out, "tasks", {"completed", std::to_string(tasks.completed)});
  print_record(out, "tasks", {"failed", std::to_string(tasks.failed)});
  print_records(out, "task", tasks.notes);
  print_records(out, "plan", status.plans);
  for (const Warning& warning : status.warnings) print_record(out, "warning", {warning.kind, warning.text});
  const Usage& usage = status.usage;
  if (total(usage) == 0) return;
  print_record(out, "used", {"input", std::to_string(usage.input)});
  print_record(out, "used", {"output", std::to_string(usage.output)});
  print_record(out, "used", {"cached", std::to_string(usage.cache_read + usage.cache_written)});
  if (status.cost) print_record(out, "used", {"cost", fmt::format("${:.4f}", *status.cost)});
}

}  // namespace

void print_status(Context& context, const TeamStatus& status) {
  if (context.out().is_terminal()) print_screen(context.out(), status);
  else print_all_records(context.out(), status);
}

}  // namespace team
