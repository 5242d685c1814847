#include "libteam/store/memory/memory_board.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "libteam/base/clock.h"
#include "libteam/record/task_rules.h"

namespace team {

class MemoryBoard::Transaction : public BoardTransaction {
 public:
  explicit Transaction(MemoryBoard& board) : board_(board) {}

  std::optional<Task> find(TaskId id) override { return board_.find(id); }
  bool exists(TaskId id) override { return board_.tasks_.contains(id); }
  std::int64_t count() override { return static_cast<std::int64_t>(board_.tasks_.size()); }

  TaskId highest_blocker() override {
    TaskId highest = 0;
    for (const auto& [id, task] : board_.tasks_) {
      for (const TaskId blocker : task.blocked_by) highest = std::max(highest, blocker);
    }
    return highest;
  }

  std::optional<Task> first_ready(const std::string& member, const std::optional<std::string>& role,
                                  Search /*search*/) override {
    const auto rank = [&](const Task& task) { return std::tuple(task.owner != member, -task.priority, task.id); };
    std::optional<Task> best;
    for (const auto& [id, task] : board_.tasks_) {
      if (!board_.is_ready(task) || !may_take(task, member, role)) continue;
      if (!best || rank(task) < rank(*best)) best = task;
    }
    return best;
  }

  bool has_ready_of(const std::string& member) override {
    const auto is_theirs = [&](const auto& entry) {
      return entry.second.owner == member && board_.is_ready(entry.second);
    };
    return std::any_of(board_.tasks_.begin(), board_.tasks_.end(), is_theirs);
  }

  std::vector<RunningTask> running() override {
    std::vector<RunningTask> all;
    for (const auto& [id, task] : board_.tasks_) {
      if (task.status != Status::in_progress) continue;
      const auto lease_end = task.lease ? static_cast<std::int64_t>(task.lease->until * 1e9) : 0;
      all.push_back({id, hash_name(*task.owner), lease_end});
    }
    return all;
  }

  std::vector<TaskId> open_blockers(const Task& task) override {
    std::vector<TaskId> open = task.blocked_by;
    std::erase_if(open, [&](TaskId id) { return board_.is_completed(id); });
    return open;
  }

  std::vector<TaskId> waiting_for(TaskId id) override {
    std::vector<TaskId> waiting = board_.dependents(id);
    std::erase_if(waiting, [&](TaskId dependent) { return board_.is_completed(dependent); });
    return waiting;
  }

  bool reaches(const std::vector<TaskId>& from, TaskId target) override {
    std::set<TaskId> reached(from.begin(), from.end());
    for (bool has_grown = true; has_grown;) {
      has_grown = false;
      for (const auto& [id, task] : board_.tasks_) {
        if (!reached.contains(id)) continue;
        for (const TaskId blocker : task.blocked_by) has_grown = reached.insert(blocker).second || has_grown;
      }
    }
    return reached.contains(target);
  }

  std::vector<TaskId> put(const Task& task) override {
    const std::vector<TaskId> before = board_.ready();
    board_.tasks_.at(task.id) = task;
    ++board_.version_;
    const std::vector<TaskId> after = board_.ready();
    std::vector<TaskId> freed;
    std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(freed));
    std::erase(freed, task.id);
    return freed;
  }

  void remove(TaskId id) override {
    board_.tasks_.erase(id);
    ++board_.version_;
  }

  Logged record(const EventOrigin& origin, const std::vector<Event>& events) override {
    const Logged logged{board_.events_ + 1, now()};
    board_.events_ += static_cast<std::int64_t>(events.size());
    board_.log_.push_back({origin, events, logged});
    return logged;
  }

 private:
  MemoryBoard& board_;
};

void MemoryBoard::transact(BoardScope /*scope*/, const Step& step) {
  Transaction transaction(*this);
  step(transaction);
}

void MemoryBoard::insert(const Insertion& insertion) {
  Transaction transaction(*this);
  const std::vector<Task> tasks = insertion.make(last_given_ + 1);
  insertion.check(transaction, tasks);
  for (const Task& task : tasks) tasks_[task.id] = task;
  last_given_ += static_cast<TaskId>(tasks.size());
  ++version_;
  insertion.inserted(transaction, tasks);
}

std::optional<Task> MemoryBoard::find(TaskId id) const {
  const auto found = tasks_.find(id);
  return found != tasks_.end() ? std::optional(found->second) : std::nullopt;
}

std::vector<TaskId> MemoryBoard::ids() const {
  std::vector<TaskId> ids;
  for (const auto& [id, task] : tasks_) ids.push_back(id);
  return ids;
}

std::vector<TaskId> MemoryBoard::dependents(TaskId id) const {
  std::vector<TaskId> dependents;
  for (const auto& [other, task] : tasks_) {
    if (has_id(task.blocked_by, id)) dependents.push_back(other);
  }
  return dependents;
}

bool MemoryBoard::is_completed(TaskId id) const {
  const auto found = tasks_.find(id);
  return found != tasks_.end() && found->second.status == Status::completed;
}

bool MemoryBoard::is_ready(const Task& task) const {
  const auto completed = [&](TaskId id) { return is_completed(id); };
  return task.status == Status::pending && std::all_of(task.blocked_by.begin(), task.blocked_by.end(), completed);
}

std::vector<TaskId> MemoryBoard::ready() const {
  std::vector<TaskId> ids;
  for (const auto& [id, task] : tasks_) {
    if (is_ready(task)) ids.push_back(id);
  }
  return ids;
}

}  // namespace team
