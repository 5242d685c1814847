// A board in memory: the exact model of a board, for unit tests and as the judge of other engines.
//
// Every answer is computed from all tasks, so it is easy to see that it is right. Several objects may show the same
// tasks, each with the event log of its own team. Several threads may use them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "libteam/store/board_engine.h"
#include "libteam/store/board_team.h"

namespace team {

// The tasks of one board.
struct MemoryTasks {
  std::recursive_mutex mutex;  // a step may look at the board outside of its transaction
  std::map<TaskId, Task> tasks;
  TaskId last_given = 0;
  std::int64_t version = 0;
};

class MemoryBoard : public BoardEngine {
 public:
  // A new board. It keeps its events for the test.
  MemoryBoard();
  // A board of a team or, with a null `record`, of none. `changed` is called after each change.
  using Record = std::function<Logged(const EventOrigin&, const std::vector<Event>&)>;
  MemoryBoard(std::string path, std::shared_ptr<MemoryTasks> tasks, Record record, std::function<void()> changed);

  void transact(BoardScope scope, const Step& step) override;
  void insert(const Insertion& insertion) override;

  std::optional<Task> find(TaskId id) const override;
  std::vector<TaskId> ids() const override;
  std::vector<TaskId> dependents(TaskId id) const override;
  void settle() const override {}
  std::int64_t version() const override;
  std::string path_of(TaskId) const override { return {}; }
  std::string path() const override { return path_; }
  bool is_in_place() const override { return true; }
  Place reopen() override { return Place::same; }

  // All events that were recorded, in order: of a new board.
  const std::vector<RecordedEvents>& log() const { return log_; }

 private:
  class Transaction;
  bool is_completed(TaskId id) const;
  bool is_ready(const Task& task) const;
  std::vector<TaskId> ready() const;

  std::string path_ = "memory";
  std::shared_ptr<MemoryTasks> tasks_;
  Record record_;
  std::function<void()> changed_ = [] {};
  std::vector<RecordedEvents> log_;
  std::int64_t events_ = 0;  // in the log
};

}  // namespace team
