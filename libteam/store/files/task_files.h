// The files of a board: reads them, and writes them safely.
//
//   N.json            a task
//   .highwatermark    the last id that was given out
//   .tmp/             incomplete files. If no process holds the lock of the board, all of them are left over, except
//                     batch-X while a process holds batch-X.lock.
//   .batch/           a batch of new tasks that is complete but not yet in place. The next process that sees the folder
//                     moves the tasks to their place. A reader can see a part of a batch meanwhile.
//
// Reading needs no lock. Everything else needs the lock of the board, except writing a batch (TaskBatch).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/record/task.h"
#include "libteam/store/files/layout.h"
#include "libteam/system/file.h"
#include "libteam/system/lock.h"
#include "libteam/system/new_file.h"

namespace team {

struct TaskFile {
  Task task;
  Stamp stamp;
};

class TaskFiles {
 public:
  TaskFiles(Folder folder, Durability durability) : folder_(std::move(folder)), durability_(durability) {}

  const Folder& folder() const { return folder_; }
  std::string path_of(TaskId id) const { return folder_.path_of(layout::task_file(id)); }

  // None if there is no such task; throws corrupt for a broken file.
  std::optional<TaskFile> read(TaskId id) const;
  std::optional<Stamp> stamp(TaskId id) const { return folder_.stamp(layout::task_file(id)); }
  // All ids, in order.
  std::vector<TaskId> ids() const;
  // The id in `.highwatermark`; 0 if there is no such file.
  TaskId highest_given() const;

  // True if a batch is complete but not yet in place.
  bool unsettled() const { return folder_.has(layout::kBatch); }

  // Writes the text of a task into a new file, which does not have its place yet.
  NewFile prepare(const Task& task) const;
  // Makes the files of all tasks, or none. Calls `undisturbed` when all are written and none is visible yet. Returns
  // false if that returns false, or if somebody made a file of such a name meanwhile.
  bool create(const std::vector<Task>& tasks, std::vector<Stamp>& stamps,
              const std::function<bool()>& undisturbed) const;
  void remove(TaskId id) const;
  // The mtime of the folder right after the last create() or remove(). A later mtime comes from another process.
  std::int64_t changed_at() const { return changed_at_; }
  // Stores that all ids up to this one are used. Must be on the disk before the task with the highest id is removed.
  void give(TaskId id, Durability durability) const;

  // True if an entry of the scratch folder belongs to a batch that is being written.
  static bool is_being_written(const Folder& scratch, std::string_view name);
  // Moves a complete batch to its place, and removes the leftovers of dead writers. True if another batch is being
  // written.
  bool settle() const;

 private:
  friend class TaskBatch;
  const Folder& scratch() const;
  void move_batch_in() const;

  Folder folder_;
  Durability durability_;
  mutable std::optional<Folder> scratch_;  // opened when something is written
  mutable std::int64_t changed_at_ = 0;
};

// New tasks of which all are made, or none. A large batch takes seconds to reach the disk. So only its beginning and
// its end need the lock of the board; the tasks are written without it.
class TaskBatch {
 public:
  // Needs the lock of the board. Nobody removes the batch as a leftover while this object lives. `files` outlives this.
  explicit TaskBatch(const TaskFiles& files);
  // Removes the batch unless it was committed.
  ~TaskBatch();
  TaskBatch(const TaskBatch&) = delete;
  TaskBatch& operator=(const TaskBatch&) = delete;

  // Writes the tasks in the scratch folder; they are on the disk when it returns. Call it once. Needs no lock.
  void write(const std::vector<Task>& tasks);
  // Needs the lock of the board. Calls `undisturbed` last, and then moves the tasks to their places. Returns false and
  // changes nothing if `undisturbed` returns false.
  bool commit(const std::function<bool()>& undisturbed);
  // The stamps of the written tasks, in their order.
  const std::vector<Stamp>& stamps() const { return stamps_; }

 private:
  const TaskFiles& files_;
  std::string name_;
  std::optional<Lock> lock_;
  std::optional<Folder> folder_;
  std::vector<Stamp> stamps_;
  bool committed_ = false;
};

}  // namespace team
