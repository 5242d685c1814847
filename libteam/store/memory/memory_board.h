// A board in memory: the exact model of a board, for unit tests and as the judge of other engines.
//
// Every answer is computed from all tasks, so it is easy to see that it is right. For one thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "libteam/store/board_engine.h"
#include "libteam/store/board_team.h"

namespace team {

class MemoryBoard : public BoardEngine {
 public:
  void transact(BoardScope scope, const Step& step) override;
  void insert(const Insertion& insertion) override;

  std::optional<Task> find(TaskId id) const override;
  std::vector<TaskId> ids() const override;
  std::vector<TaskId> dependents(TaskId id) const override;
  void settle() const override {}
  std::int64_t version() const override { return version_; }
  std::string path_of(TaskId) const override { return {}; }
  std::string path() const override { return "memory"; }
  bool is_in_place() const override { return true; }
  Place reopen() override { return Place::same; }

  // All events that were recorded, in order.
  const std::vector<RecordedEvents>& log() const { return log_; }

 private:
  class Transaction;
  bool is_completed(TaskId id) const;
  bool is_ready(const Task& task) const;
  std::vector<TaskId> ready() const;

  std::map<TaskId, Task> tasks_;
  TaskId last_given_ = 0;
  std::int64_t version_ = 0;
  std::vector<RecordedEvents> log_;
  std::int64_t events_ = 0;  // in the log
};

}  // namespace team
