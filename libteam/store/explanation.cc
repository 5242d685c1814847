#include "libteam/store/explanation.h"

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "libteam/store/presence.h"
#include "libteam/store/status.h"

namespace team {

namespace {

class Explanation {
 public:
  Explanation(const Board& board, const Engine& engine, const Team* team)
      : board_(board), engine_(engine), team_(team) {}

  std::string of(TaskId id) {
    const auto own = reasons_of(id);
    const auto end = find_end(id);
    const std::string end_text = end ? fmt::format("task {}: {}", end->first, end->second) : "";
    if (end && end->first == id) return end_text;
    const std::string text = own.empty() ? "" : fmt::format("task {}: {}", id, own.front().text);
    return end ? text + "; " + end_text : text;
  }

 private:
  std::vector<Reason> reasons_of(TaskId id) const {
    try {
      const auto engine = team_ != nullptr ? engine_.open_team(*team_) : nullptr;
      return explain(board_.view().get(id), engine.get(), team_, board_.view());
    } catch (const Error& error) {
      if (error.code() != Code::not_found && error.code() != Code::corrupt) throw;
      return {};
    }
  }

  // The first task on the way, depth first, that is held back by something which does not move by itself.
  std::optional<std::pair<TaskId, std::string>> find_end(TaskId id) {
    std::vector<TaskId> due = {id};
    while (!due.empty()) {
      const TaskId at = due.back();
      due.pop_back();
      if (!seen_.insert(at).second) continue;
      for (const Reason& reason : reasons_of(at)) {
        const bool is_final = reason.kind == "failed" || reason.kind == "missing" || reason.kind == "broken";
        if (is_final || (reason.kind == "assigned" && is_lost(at))) return std::pair(at, reason.text);
        if (reason.kind == "blocked") due.push_back(reason.task);
      }
    }
    return std::nullopt;
  }

  bool is_lost(TaskId id) const {
    const auto task = board_.view().find(id);
    return task && task->owner && has_died(board_, *task->owner);
  }

  const Board& board_;
  const Engine& engine_;
  const Team* team_;
  std::set<TaskId> seen_;
};

}  // namespace

std::string explain_chain(const Board& board, const Engine& engine, const Team* team, TaskId id) {
  return Explanation(board, engine, team).of(id);
}

}  // namespace team
