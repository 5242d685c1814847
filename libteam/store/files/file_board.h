// A board in files: one file per task, an index to find tasks, and a lock for one writer at a time.
//
// People may edit task files at any time without the lock. A transaction that notices it before its own write leaves
// their edit alone and is run again on top of it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "libteam/store/board_engine.h"
#include "libteam/store/files/root.h"
#include "libteam/store/files/task_files.h"

namespace team {

class FileBoard : public BoardEngine {
 public:
  // Writes events into the log of the team; empty without a team. Called under the lock of the board.
  using Record = std::function<Logged(const EventOrigin& origin, const std::vector<Event>& events)>;
  // `path` is the place of the folder beneath the root, which outlives this. Waits for the lock at most `lock_timeout`
  // seconds.
  FileBoard(const Root& root, std::string path, Folder folder, Durability durability, double lock_timeout,
            Record record);

  void transact(BoardScope scope, const Step& step) override;
  void insert(const Insertion& insertion) override;

  std::optional<Task> find(TaskId id) const override;
  std::vector<TaskId> ids() const override { return files_.ids(); }
  std::vector<TaskId> dependents(TaskId id) const override;
  void settle() const override;
  // The version does not change if somebody edits a file in place.
  std::int64_t version() const override { return files_.folder().mtime_ns(); }
  std::string path_of(TaskId id) const override { return files_.path_of(id); }
  std::string path() const override { return folder().path(); }
  bool is_in_place() const override { return folder().is_in_place(); }
  Place reopen() override;

  const Folder& folder() const { return files_.folder(); }

 private:
  class Transaction;
  void run(BoardScope scope, const std::function<void(Transaction&)>& step) const;
  void insert_one(const Insertion& insertion) const;
  void insert_batch(const Insertion& insertion) const;
  void return_ids(TaskId last, TaskId given) const;
  [[noreturn]] void fail_disturbed() const;

  const Root& root_;
  std::string path_;
  Durability durability_;
  double lock_timeout_;
  Record record_;
  TaskFiles files_;
};

}  // namespace team
