// The files of a board: one `ID.json` per task, and what it takes to write them safely.
//
//   N.json            a task
//   .highwatermark    the last id that was given out
//   .tmp/             files on their way in; whatever is there while nobody holds the board's lock is litter, but for
//                     batch-X if somebody holds batch-X.lock
//   .batch/           a batch of new tasks that is decided but not yet in place: whoever sees it moves it in. All of a
//                     batch comes or nothing; who looks at the very moment may see a part of what is coming.
//
// Reading needs no lock. Everything else is done under the board's lock, but for writing a batch (TaskBatch).
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
  // All there are, in order.
  std::vector<TaskId> ids() const;
  // The last id given out as far as `.highwatermark` knows; 0 where there is none.
  TaskId highest_given() const;

  // Whether a batch was decided and is not yet in place.
  bool unsettled() const { return folder_.has(layout::kBatch); }

  // The text of a task, written and waiting to take its place.
  NewFile prepare(const Task& task) const;
  // All of them or none. False if somebody made a file of that name meanwhile, or if `undisturbed`, which is asked when
  // all is written and nothing to be seen yet, says so.
  bool create(const std::vector<Task>& tasks, std::vector<Stamp>& stamps,
              const std::function<bool()>& undisturbed) const;
  void remove(TaskId id) const;
  // The folder's mtime right after the last create() or remove(): a later one is by somebody else.
  std::int64_t changed_at() const { return changed_at_; }
  // Ids up to this one are used up. Before the task that has the highest id goes, this must be on the disk.
  void give(TaskId id, Durability durability) const;

  // Whether an entry of the scratch folder belongs to a batch whose writer is at work.
  static bool is_being_written(const Folder& scratch, std::string_view name);
  // Moves a decided batch in and removes what dead writers left. True if the writer of another batch is at work.
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

// New tasks that all come or none. A large batch takes seconds to reach the disk: it is written while nobody holds the
// board's lock, which is needed at the beginning and at the end only.
class TaskBatch {
 public:
  // Under the board's lock: from here on nobody takes the batch for litter. `files` outlives this.
  explicit TaskBatch(const TaskFiles& files);
  // Removes the batch unless it was committed.
  ~TaskBatch();
  TaskBatch(const TaskBatch&) = delete;
  TaskBatch& operator=(const TaskBatch&) = delete;

  // Writes the tasks where nobody looks; on the disk when it returns. Once, and needs no lock.
  void write(const std::vector<Task>& tasks);
  // Under the board's lock: puts the tasks in their places. False, and nothing is changed, if `undisturbed`, which is
  // asked last, says so.
  bool commit(const std::function<bool()>& undisturbed);
  // Of the written tasks, in their order.
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
