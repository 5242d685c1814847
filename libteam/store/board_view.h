// Reads a board without a lock. A reader does not block: it sees either the old contents of a task or the new contents.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "libteam/base/error.h"
#include "libteam/record/task.h"
#include "libteam/store/board_engine.h"

namespace team {

struct TaskFilter {
  std::vector<Status> statuses;  // empty: any
  std::optional<std::string> owner;
  bool ready = false;
  bool blocked = false;
};

struct SeenTask {
  Task task;
  TaskLinks standing;
};

// The status and the blockers of a task: small enough to keep them for a hundred thousand tasks.
struct Outline {
  Status status = Status::pending;
  std::vector<TaskId> blocked_by;
};

class BoardView {
 public:
  // The engine outlives this.
  explicit BoardView(const BoardEngine& engine) : engine_(engine) {}

  // Throws not_found, or corrupt for a broken file.
  Task get(TaskId id) const;
  // The same for many calls; none if there is no such task. A batch of a writer that died stays incomplete; call ids()
  // once before.
  std::optional<Task> find(TaskId id) const;
  // The tasks that wait for this task, and its open blockers. open_blockers() gives only the latter, at a lower cost.
  TaskLinks standing_of(const Task& task) const;
  std::vector<TaskId> open_blockers(const Task& task) const;

  using Visit = std::function<void(const SeenTask&)>;
  using Report = std::function<void(TaskId id, const Error& error)>;
  enum class Detail { open_blockers, everything };
  // Visits the tasks in order of id, one at a time. A broken file is reported and passed over.
  void each(const TaskFilter& filter, Detail detail, const Visit& visit, const Report& broken) const;

  std::map<TaskId, Outline> outline(const Report& broken) const;

  // All tasks, in order.
  std::vector<TaskId> ids() const;

 private:
  std::optional<Status> status_of(TaskId id) const;
  std::vector<TaskId> blockers_of(TaskId id) const;

  const BoardEngine& engine_;
};

}  // namespace team
