#include "libteam/store/board_summary.h"

#include <array>
#include <iterator>
#include <map>
#include <tuple>

#include "libteam/base/markup.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"

namespace team {

namespace {

constexpr std::size_t kLongestSubject = 80;
constexpr std::size_t kMostBlockers = 10;
constexpr std::string_view kUnreadable = "unreadable";

// The most important tasks come first.
enum class Class { in_progress, ready, blocked, failed, unreadable, completed };
using Rank = std::tuple<Class, double, TaskId>;

Rank rank_of(const SeenTask& seen) {
  const Task& task = seen.task;
  switch (task.status) {
    case Status::in_progress: return {Class::in_progress, 0, task.id};
    case Status::failed: return {Class::failed, 0, task.id};
    case Status::completed: return {Class::completed, -task.completed_at.value_or(0), -task.id};
    case Status::pending: break;
  }
  return {seen.standing.open_blockers.empty() ? Class::ready : Class::blocked, 0, task.id};
}

std::string describe_wait(const std::vector<TaskId>& blockers) {
  std::vector<std::string> names;
  for (const TaskId blocker : blockers) {
    if (names.size() < kMostBlockers) names.push_back(fmt::format("#{}", blocker));
  }
  const std::size_t more = blockers.size() - names.size();
  return fmt::format("waits for {}{}", join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace

namespace {

std::string detail_line(std::string_view name, const std::string& text) {
  constexpr std::size_t kLongest = 200;
  return fmt::format("\n    {}: {}", name, escape_line(cut_characters(one_line(text), kLongest)));
}

}  // namespace

std::string summary_of(const SeenTask& seen, SummaryDetail detail) {
  const Task& task = seen.task;
  std::vector<std::string> notes;
  if (!task.created_by.empty()) notes.push_back("by " + escape_line(task.created_by));
  if (task.owner) notes.push_back("owner: " + escape_line(*task.owner));
  if (task.role) notes.push_back("role: " + escape_line(*task.role));
  if (!has_ended(task.status) && !seen.standing.open_blockers.empty()) {
    notes.push_back(describe_wait(seen.standing.open_blockers));
  }
  std::string text = fmt::format("#{} [{}] {}{}", task.id, name_of(task.status),
                                 quote_line(cut_characters(one_line(task.subject), kLongestSubject)),
                                 notes.empty() ? "" : fmt::format(" ({})", join(notes, "; ")));
  if (detail == SummaryDetail::lines) return text;
  if (!task.description.empty()) text += detail_line("description", task.description);
  if (task.result) text += detail_line("result", *task.result);
  if (task.error) text += detail_line("error", *task.error);
  return text;
}

namespace {

class Summary {
 public:
  Summary(std::size_t most, SummaryDetail detail) : most_(most), detail_(detail) {}

  void add(const SeenTask& seen) {
    const Rank rank = rank_of(seen);
    ++counts_[name_of(seen.task.status)];
    if (fits(rank)) keep(rank, {seen.task.id, name_of(seen.task.status), summary_of(seen, detail_)});
  }

  void add_unreadable(TaskId id) {
    const Rank rank{Class::unreadable, 0, id};
    ++counts_[kUnreadable];
    if (fits(rank)) keep(rank, {id, kUnreadable, fmt::format("#{} [{}]", id, kUnreadable)});
  }

  std::string text() const {
    if (counts_.empty()) return "The board is empty.";
    std::map<TaskId, std::string> by_id;
    auto left = counts_;
    for (const auto& [rank, shown] : kept_) {
      by_id[shown.id] = shown.line;
      --left[shown.status];
    }
    std::vector<std::string> lines;
    for (const auto& [id, line] : by_id) lines.push_back(line);
    std::size_t more = 0;
    std::vector<std::string> parts;
    for (const std::string_view status : kOrder) {
      const std::size_t count = left[status];
      more += count;
      if (count > 0) parts.push_back(fmt::format("{} {}", count, status));
    }
    if (more > 0) lines.push_back(fmt::format("and {} more: {}", more, join(parts, ", ")));
    return join(lines, "\n");
  }

 private:
  struct Shown {
    TaskId id;
    std::string_view status;
    std::string line;
  };
  static constexpr std::array<std::string_view, 5> kOrder = {"completed", "pending", "in_progress", "failed",
                                                             kUnreadable};

  bool fits(const Rank& rank) const {
    return kept_.size() < most_ || (!kept_.empty() && rank < std::prev(kept_.end())->first);
  }

  void keep(const Rank& rank, Shown shown) {
    kept_.emplace(rank, std::move(shown));
    if (kept_.size() > most_) kept_.erase(std::prev(kept_.end()));
  }

  std::size_t most_;
  SummaryDetail detail_;
  std::map<Rank, Shown> kept_;
  std::map<std::string_view, std::size_t> counts_;
};

}  // namespace

std::string summarize_board(const BoardView& view, std::size_t most, SummaryDetail detail) {
  Summary summary(most, detail);
  view.each(
      {}, BoardView::Detail::open_blockers, [&](const SeenTask& seen) { summary.add(seen); },
      [&](TaskId id, const Error&) { summary.add_unreadable(id); });
  return summary.text();
}

namespace {

// None also for a task that cannot be read now: the claim is made, and a model must not repeat it.
std::optional<Task> find_if_readable(const BoardView& view, TaskId id) {
  try {
    return view.find(id);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::string describe_claimed(const BoardView& view, const Task& task) {
  std::string text;
  if (!task.description.empty()) {
    text += "\n" + enclose("description", attribute("created_by", task.created_by), task.description);
  }
  for (const TaskId id : task.blocked_by) {
    const auto blocker = find_if_readable(view, id);
    if (!blocker || !blocker->result) continue;
    const std::string author = attribute("task", std::to_string(id)) + attribute("by", blocker->owner.value_or("-"));
    text += "\n" + enclose("result", author, *blocker->result);
  }
  return text;
}

}  // namespace team
