#include "libteam/view/top_panes.h"

#include <algorithm>

#include "libteam/base/columns.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/time_text.h"
#include "libteam/cli/tones.h"
#include "libteam/view/top_pages.h"

namespace team {

namespace {

using Tone = Output::Tone;
using Side = TopColumn::Side;

std::string how_long(std::optional<double> since, double now) {
  return since && *since > 0 ? describe_seconds(now - *since) : "-";
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

std::vector<Cell> member_cells(const ViewMember& member, bool wide, double now) {
  const MemberStatus& status = member.status;
  const std::int64_t used = total(status.usage);
  std::string task = status.task ? fmt::format("#{}", *status.task) : "-";
  if (wide && status.task) task += " " + one_line(status.subject);
  std::string words = one_line(status.last_words);
  if (words.empty()) words = one_line(status.task && !wide ? status.subject : status.reason);
  const Tone tone = tone_of_state(member);
  return {
      {status.name, Tone::strong},
      {status.role.value_or("-")},
      {shown_state(member), tone},
      {how_long(status.since, now)},
      {task},
      {status.unread > 0 ? fmt::format("{}{}", std::min<std::size_t>(status.unread, 99), status.unread > 99 ? "+" : "")
                         : "-",
       Tone::waiting},
      {used > 0 ? describe_count(used) : "-"},
      {words}};
}

TopTable member_table(bool wide, std::size_t count) {
  const std::size_t most = wide ? 24 : 16;
  return TopTable({{fmt::format("MEMBERS {}", count), most},
                   {"ROLE", wide ? 16U : 10U},
                   {"STATE", 12},
                   {"FOR", 7, Side::right},
                   {"TASK", wide ? 40U : 6U},
                   {"MAIL", 4, Side::right},
                   {"TOKENS", 6, Side::right},
                   {"LAST WORDS", 0}});
}

std::vector<Cell> task_cells(const ViewTask& seen, const TeamView& snapshot, double now) {
  const Task* task = snapshot.find_task(seen.id);
  const std::string reason = why(snapshot, seen);
  std::string about = task != nullptr ? one_line(task->subject) : std::string();
  // The reason matters most, so the subject is cut to make room for it.
  constexpr std::size_t kShort = 28;
  if (!reason.empty()) about = about.empty() ? reason : fmt::format("{}: {}", cut_columns(about, kShort), reason);
  return {{fmt::format("#{}", seen.id), task != nullptr && task->priority > 0 ? Tone::strong : Tone::plain},
          {std::string(name_of(seen.state)), tone_of(seen.state)},
          {or_dash(task != nullptr ? task->owner.value_or("") : "")},
          {task != nullptr ? how_long(since(*task), now) : "-"},
          {about, seen.state == TaskState::failed ? Tone::bad
                  : seen.state == TaskState::done ? Tone::faint
                                                  : Tone::plain}};
}

TopTable task_table(std::size_t count) {
  return TopTable(
      {{fmt::format("TASKS {}", count), 12}, {"STATE", 8}, {"OWNER", 16}, {"FOR", 7, Side::right}, {"SUBJECT", 0}});
}

// The text of a model is cut at its start, because its end is new. Other texts are cut at their end.
std::string event_text(const LogEntry& event, std::size_t width) {
  std::string text = one_line(event.text);
  while (text.ends_with(' ')) text.pop_back();
  std::size_t wide = columns(text);
  if (event.type != "says" || wide <= width) return text;
  std::string_view rest = text;
  while (wide + 1 > width && !rest.empty()) {
    const std::string_view dropped = first_character(rest);
    wide -= columns(dropped);
    rest.remove_prefix(dropped.size());
  }
  return "…" + std::string(rest);
}

std::vector<Cell> event_cells(const LogEntry& event, std::size_t width) {
  constexpr std::size_t kBeside = 46;  // maximum width of the other columns
  return {{clock_time(event.timestamp), Tone::faint},
          {or_dash(event.agent), Tone::strong},
          {event.type, tone_of_event(event.type)},
          {event_text(event, width > kBeside ? width - kBeside : width)}};
}

TopTable event_table() { return TopTable({{"EVENTS", 8}, {"WHO", 14}, {"WHAT", 18}, {"ABOUT", 0}}); }

}  // namespace

TopTable table_of_members(const TeamView& snapshot, Range range, std::size_t width, double now) {
  const bool wide = width >= kWide;
  TopTable table = member_table(wide, snapshot.members.size());
  for (std::size_t i = range.first; i < range.end; ++i) table.row(member_cells(snapshot.members[i], wide, now));
  return table;
}

TopTable table_of_tasks(const TeamView& snapshot, Range range, double now) {
  TopTable table = task_table(snapshot.tasks.size());
  for (std::size_t i = range.first; i < range.end; ++i) table.row(task_cells(snapshot.tasks[i], snapshot, now));
  return table;
}

TopTable table_of_events(const TeamView& snapshot, Range range, std::size_t width) {
  TopTable table = event_table();
  for (std::size_t i = range.first; i < range.end; ++i) table.row(event_cells(snapshot.events[i], width));
  return table;
}

std::vector<Row> draw_heads(const TeamView& snapshot, std::size_t rows, std::size_t width, double now) {
  std::vector<Row> heads;
  if (rows == 0) return heads;
  std::size_t plans = 0, active = 0, dead = 0;
  Usage used;
  for (const ViewMember& member : snapshot.members) {
    plans += member.plan ? 1 : 0;
    active += member.status.state == "active" ? 1 : 0;
    dead += member.status.state == "dead" || member.status.state == "error" ? 1 : 0;
    used += member.status.usage;
  }
  std::string left = fmt::format(" {}  {} active", snapshot.team, active);
  if (dead > 0) left += fmt::format(", {} dead", dead);
  if (plans > 0) left += fmt::format(", {} plan{} to judge", plans, plans > 1 ? "s" : "");
  if (snapshot.unread > 0) left += fmt::format(", {} unread for {}", snapshot.unread, snapshot.reader);
  if (total(used) > 0) left += fmt::format(", {} tokens", describe_count(total(used)));
  const std::string right = fmt::format("  team-top  {} ", clock_time(now));
  const std::size_t beside = width > columns(right) + 20 ? columns(right) : 0;
  heads.push_back({{fit(left, width - beside), Tone::strong, Span::Ground::bar}});
  if (beside > 0) heads.back().push_back({right, Tone::plain, Span::Ground::bar});
  if (rows == 1) return heads;
  Row counts = {{cut_columns(" board ", width), Tone::faint, Span::Ground::plain}};
  std::size_t used_columns = columns(counts.front().text);
  for (const TaskState state : {TaskState::running, TaskState::ready, TaskState::blocked, TaskState::failed,
                                TaskState::broken, TaskState::done}) {
    const auto found = snapshot.counts.find(state);
    const std::size_t number = found == snapshot.counts.end() ? 0 : found->second;
    if (number == 0 && state == TaskState::broken) continue;
    const std::string text = fmt::format(" {} {} ", number, name_of(state));
    if (used_columns + columns(text) > width) break;
    counts.push_back({text, number > 0 ? tone_of(state) : Tone::faint, Span::Ground::plain});
    used_columns += columns(text);
  }
  const auto done = snapshot.counts.find(TaskState::done);
  const std::size_t all = snapshot.tasks.size();
  constexpr std::size_t kBar = 20;
  if (all > 0 && used_columns + kBar + 10 <= width) {
    const std::size_t ended = done == snapshot.counts.end() ? 0 : done->second;
    const std::size_t full = kBar * ended / all;
    const std::string text =
        fmt::format(" {}{} {:3}%", std::string(full, '#'), std::string(kBar - full, '.'), 100 * ended / all);
    counts.push_back({text, Tone::good, Span::Ground::plain});
    used_columns += columns(text);
  }
  if (used_columns < width)
    counts.push_back({std::string(width - used_columns, ' '), Tone::plain, Span::Ground::plain});
  heads.push_back(std::move(counts));
  return heads;
}

}  // namespace team
