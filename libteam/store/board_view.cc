#include "libteam/store/board_view.h"

#include <algorithm>

namespace team {

namespace {

bool fits(const Task& task, const TaskFilter& filter) {
  const auto& wanted = filter.statuses;
  if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), task.status) == wanted.end()) return false;
  return !filter.owner || task.owner == filter.owner;
}

}  // namespace

Task BoardView::get(TaskId id) const {
  engine_.settle();
  auto found = engine_.find(id);
  if (!found) fail(Code::not_found, "no task {}", id);
  return std::move(*found);
}

std::optional<Task> BoardView::find(TaskId id) const { return engine_.find(id); }

TaskLinks BoardView::standing_of(const Task& task) const {
  TaskLinks standing;
  standing.open_blockers = open_blockers(task);
  for (const TaskId dependent : engine_.dependents(task.id)) {
    const auto blockers = blockers_of(dependent);
    if (std::find(blockers.begin(), blockers.end(), task.id) != blockers.end()) standing.blocks.push_back(dependent);
  }
  return standing;
}

std::vector<TaskId> BoardView::open_blockers(const Task& task) const {
  std::vector<TaskId> open;
  for (const TaskId blocker : task.blocked_by) {
    if (status_of(blocker) != Status::completed) open.push_back(blocker);
  }
  return open;
}

std::optional<Status> BoardView::status_of(TaskId id) const {
  try {
    const auto task = engine_.find(id);
    return task ? std::optional(task->status) : std::nullopt;
  } catch (const Error& error) {
    if (error.code() != Code::corrupt) throw;
    return std::nullopt;
  }
}

std::vector<TaskId> BoardView::blockers_of(TaskId id) const {
  try {
    const auto task = engine_.find(id);
    return task ? task->blocked_by : std::vector<TaskId>();
  } catch (const Error& error) {
    if (error.code() != Code::corrupt) throw;
    return {};
  }
}

void BoardView::each(const TaskFilter& filter, Detail detail, const Visit& visit, const Report& broken) const {
  engine_.settle();
  std::unordered_map<TaskId, Status> known;
  std::unordered_map<TaskId, std::vector<TaskId>> blocks;
  if (detail == Detail::everything) {
    for (const auto& [id, its] : outline([](TaskId, const Error&) {})) {
      known[id] = its.status;
      for (const TaskId blocker : its.blocked_by) blocks[blocker].push_back(id);
    }
  }
  const auto is_completed = [&](TaskId id) {
    const auto found = known.find(id);
    if (found != known.end()) return found->second == Status::completed;
    if (detail == Detail::everything) return false;
    known[id] = status_of(id).value_or(Status::pending);  // a broken one is reported when its turn comes
    return known[id] == Status::completed;
  };
  for (const TaskId id : engine_.ids()) {
    SeenTask seen;
    try {
      auto task = engine_.find(id);
      if (!task) continue;  // removed since it was listed
      seen.task = std::move(*task);
    } catch (const Error& error) {
      if (error.code() != Code::corrupt) throw;
      broken(id, error);
      continue;
    }
    known[id] = seen.task.status;
    if (!fits(seen.task, filter)) continue;
    for (const TaskId blocker : seen.task.blocked_by) {
      if (!is_completed(blocker)) seen.standing.open_blockers.push_back(blocker);
    }
    const bool is_open = seen.task.status == Status::pending;
    if (filter.ready && (!is_open || !seen.standing.open_blockers.empty())) continue;
    if (filter.blocked && (!is_open || seen.standing.open_blockers.empty())) continue;
    const auto dependents = blocks.find(id);
    if (dependents != blocks.end()) seen.standing.blocks = dependents->second;
    visit(seen);
  }
}

std::map<TaskId, Outline> BoardView::outline(const Report& broken) const {
  engine_.settle();
  std::map<TaskId, Outline> all;
  for (const TaskId id : engine_.ids()) {
    try {
      if (auto task = engine_.find(id)) all[id] = {task->status, std::move(task->blocked_by)};
    } catch (const Error& error) {
      if (error.code() != Code::corrupt) throw;
      broken(id, error);
    }
  }
  return all;
}

std::vector<TaskId> BoardView::ids() const {
  engine_.settle();
  return engine_.ids();
}

}  // namespace team
