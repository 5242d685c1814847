#include "libteam/store/memory/memory_board.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>
#include <tuple>

#include "libteam/base/clock.h"
#include "libteam/record/task_rules.h"

namespace team {

class MemoryBoard::Transaction : public BoardTransaction {
 public:
  explicit Transaction(MemoryBoard& board) : board_(board) {}

  std::optional<Task> find(TaskId id) override {
    read_.insert(id);
    return board_.find(id);
  }
  bool exists(TaskId id) override { return board_.tasks_->tasks.contains(id); }
  std::int64_t count() override { return static_cast<std::int64_t>(board_.tasks_->tasks.size()); }

  TaskId highest_blocker() override {
    TaskId highest = 0;
    for (const auto& [id, task] : board_.tasks_->tasks) {
      for (const TaskId blocker : task.blocked_by) highest = std::max(highest, blocker);
    }
    return highest;
  }

  std::optional<Task> first_ready(const std::string& member, const std::optional<std::string>& role,
                                  Search /*search*/) override {
    const auto rank = [&](const Task& task) { return std::tuple(task.owner != member, -task.priority, task.id); };
    std::optional<Task> best;
    for (const auto& [id, task] : board_.tasks_->tasks) {
      if (!board_.is_ready(task) || !may_take(task, member, role)) continue;
      if (!best || rank(task) < rank(*best)) best = task;
    }
    if (best) read_.insert(best->id);
    return best;
  }

  bool has_ready_of(const std::string& member) override {
    const auto is_theirs = [&](const auto& entry) {
      return entry.second.owner == member && board_.is_ready(entry.second);
    };
    return std::any_of(board_.tasks_->tasks.begin(), board_.tasks_->tasks.end(), is_theirs);
  }

  std::vector<RunningTask> running() override {
    std::vector<RunningTask> all;
    for (const auto& [id, task] : board_.tasks_->tasks) {
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
      for (const auto& [id, task] : board_.tasks_->tasks) {
        if (!reached.contains(id)) continue;
        for (const TaskId blocker : task.blocked_by) has_grown = reached.insert(blocker).second || has_grown;
      }
    }
    return reached.contains(target);
  }

  std::vector<TaskId> put(const Task& task) override {
    check_read(task.id);
    const std::vector<TaskId> before = board_.ready();
    board_.tasks_->tasks.at(task.id) = task;
    ++board_.tasks_->version;
    const std::vector<TaskId> after = board_.ready();
    std::vector<TaskId> freed;
    std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(freed));
    std::erase(freed, task.id);
    return freed;
  }

  void remove(TaskId id) override {
    board_.tasks_->tasks.erase(id);
    ++board_.tasks_->version;
  }

  Logged record(const EventOrigin& origin, const std::vector<Event>& events) override {
    if (board_.record_) return board_.record_(origin, events);
    const Logged logged{board_.events_ + 1, now()};
    board_.events_ += static_cast<std::int64_t>(events.size());
    board_.log_.push_back({origin, events, logged});
    return logged;
  }

 private:
  // A task that was not read in this transaction may have changed since: to put it is an error of the caller.
  void check_read(TaskId id) const {
    if (!read_.contains(id)) throw std::out_of_range("a task is put that was not read");
  }

  MemoryBoard& board_;
  std::set<TaskId> read_;
};

MemoryBoard::MemoryBoard() : tasks_(std::make_shared<MemoryTasks>()) {}

MemoryBoard::MemoryBoard(std::string path, std::shared_ptr<MemoryTasks> tasks, Record record,
                         std::function<void()> changed)
    : path_(std::move(path)), tasks_(std::move(tasks)), record_(std::move(record)), changed_(std::move(changed)) {
  if (!record_) record_ = [](const EventOrigin&, const std::vector<Event>&) { return Logged{}; };
}

void MemoryBoard::transact(BoardScope /*scope*/, const Step& step) {
  {
    const std::lock_guard lock(tasks_->mutex);
    Transaction transaction(*this);
    step(transaction);
  }
  changed_();
}

void MemoryBoard::insert(const Insertion& insertion) {
  {
    const std::lock_guard lock(tasks_->mutex);
    Transaction transaction(*this);
    const std::vector<Task> tasks = insertion.make(tasks_->last_given + 1);
    insertion.check(transaction, tasks);
    for (const Task& task : tasks) tasks_->tasks[task.id] = task;
    tasks_->last_given += static_cast<TaskId>(tasks.size());
    ++tasks_->version;
    insertion.inserted(transaction, tasks);
  }
  changed_();
}

std::int64_t MemoryBoard::version() const {
  const std::lock_guard lock(tasks_->mutex);
  return tasks_->version;
}

std::optional<Task> MemoryBoard::find(TaskId id) const {
  const std::lock_guard lock(tasks_->mutex);
  const auto found = tasks_->tasks.find(id);
  return found != tasks_->tasks.end() ? std::optional(found->second) : std::nullopt;
}

std::vector<TaskId> MemoryBoard::ids() const {
  const std::lock_guard lock(tasks_->mutex);
  std::vector<TaskId> ids;
  for (const auto& [id, task] : tasks_->tasks) ids.push_back(id);
  return ids;
}

std::vector<TaskId> MemoryBoard::dependents(TaskId id) const {
  const std::lock_guard lock(tasks_->mutex);
  std::vector<TaskId> dependents;
  for (const auto& [other, task] : tasks_->tasks) {
    if (has_id(task.blocked_by, id)) dependents.push_back(other);
  }
  return dependents;
}

bool MemoryBoard::is_completed(TaskId id) const {
  const auto found = tasks_->tasks.find(id);
  return found != tasks_->tasks.end() && found->second.status == Status::completed;
}

bool MemoryBoard::is_ready(const Task& task) const {
  const auto completed = [&](TaskId id) { return is_completed(id); };
  return task.status == Status::pending && std::all_of(task.blocked_by.begin(), task.blocked_by.end(), completed);
}

std::vector<TaskId> MemoryBoard::ready() const {
  std::vector<TaskId> ids;
  for (const auto& [id, task] : tasks_->tasks) {
    if (is_ready(task)) ids.push_back(id);
  }
  return ids;
}

}  // namespace team
