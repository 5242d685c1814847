// The index of a board: a cache of its files, so that a claim need not read them all.
//
// Anybody may delete `.tasks/.index` at any time. It is read and written only under the board's lock, and each use
// compares it with the files:
//
//   - The mtime of the folder changes when somebody else makes, replaces or removes a file. Then the index looks at
//     every file (stat) and reads the changed ones again.
//   - An edit in place does not change that mtime. So each refresh looks at 8 to 256 files in turn, except before a
//     change that concerns no other task. If a round takes longer than a minute, the index looks at every file. A task
//     that is about to be claimed is always read, and its blockers are if they changed.
//   - A writer that died leaves a `state` other than clean. A different boot or folder makes the whole index void.
//   - Damage shows by the checksums of the pages when a page is used: any call may throw Damage. Then call rebuild().
//
// index_layout.h describes the file. A sweep computes for every task whether it is ready, from the records of the task
// and its blockers.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "libteam/record/task.h"
#include "libteam/store/board_engine.h"
#include "libteam/store/files/index_edges.h"
#include "libteam/store/files/index_file.h"
#include "libteam/store/files/index_lanes.h"
#include "libteam/store/files/task_files.h"

namespace team {

class Index {
 public:
  // Needs the board's lock. `files` outlives this.
  explicit Index(const TaskFiles& files);
  Index(const Index&) = delete;
  Index& operator=(const Index&) = delete;

  // Brings the index up to date with the folder. If nobody else touched the folder, this looks at a few files, or with
  // one_task at none.
  enum class Care { usual, one_task };
  void refresh(Care care = Care::usual);
  // Looks at every file.
  void sweep();
  // Forgets everything and reads every file.
  void rebuild();
  // True if a sweep was done within the last second: another one would find nothing new.
  bool swept_lately();
  // True if the folder is as the last refresh or commit left it. Programs that take no lock may change it at any time.
  bool is_current();

  TaskId highest();
  std::int64_t count();

  // The best task that this member may claim, as far as the index knows; none of `passed`.
  std::optional<TaskId> first_ready(const std::string& member, const std::optional<std::string>& role,
                                    const std::set<TaskId>& passed);
  // A search that passes over many tasks of others leaves a hint for the next search. This saves new hints, unless a
  // change is in progress.
  void keep_hints();
  // True if a task of this member is ready, as far as the index knows.
  bool has_ready_of(const std::string& member);
  // Tasks in progress, with the hash of their owner and when their lease ends (boot clock, 0: never).
  std::vector<RunningTask> running();
  // Tasks that may wait for `id`, of any status. The caller must read them: the index may be out of date.
  std::vector<TaskId> dependents(TaskId id) { return edges_.dependents(id); }
  // No task waits for an id above this one.
  TaskId highest_blocker();
  // True if the task is ready, by its file, which was just read, and the present files of its blockers.
  bool confirm_ready(const TaskFile& file);
  // True if the task is completed. Reads its file if that changed.
  bool is_completed(TaskId id);
  // True if the task has a file now.
  bool exists(TaskId id) const { return id >= 1 && id <= kLargestTaskId && files_.stamp(id); }
  // Reads the task again, even if its file did not change.
  void look_at(TaskId id);

  // Called before a batch is written without the board's lock: if its writer dies, its files are removed.
  void expect_batch();
  // Around every change of files: begin() before the first, put() and forget() after each, commit() at the end. If
  // commit() is not reached, the next refresh looks at the files.
  void begin();
  void expect_leftover() { file_.expect_leftover(); }
  void put(const Task& task, const Stamp& stamp);
  void forget(TaskId id);
  // Returns the tasks that became ready since begin(). `folder_mtime` is the mtime of the folder after our change: a
  // later change by somebody else is noticed, even one before this call.
  std::vector<TaskId> commit(std::int64_t folder_mtime);

  // After a rebuild in place of a commit: the dependents of a changed task that are ready.
  std::vector<TaskId> ready_dependents(TaskId id);

  // The contents of the index, for team-fsck: none if it knows no such task.
  struct Belief {
    std::optional<Status> status;  // none: a file that cannot be read
    bool ready;
  };
  std::optional<Belief> belief(TaskId id);

 private:
  using Header = IndexFile::Header;
  using Record = IndexFile::Record;
  // The properties of a task that the index needs.
  struct Facts {
    std::uint8_t status;
    int priority = 0;
    std::uint64_t owner = 0;
    std::uint64_t role = 0;
    std::int64_t lease_end = 0;
    std::vector<TaskId> blockers = {};
  };

  void bring_up_to_date(Care care);
  void look_at_next();
  std::optional<Stamp> stamp_of(TaskId id);
  bool is_racy(TaskId id);
  void remember(TaskId id, const Facts& facts, const Stamp& stamp);
  void settle();
  bool is_ready(TaskId id);
  std::uint8_t lane_of(const Facts& facts);
  std::optional<TaskId> first_of(std::uint8_t lane, std::uint64_t owner, std::uint64_t role,
                                 const std::set<TaskId>& passed);
  Facts facts_of(TaskId id);
  void save();

  const TaskFiles& files_;
  IndexFile file_;
  IndexLanes lanes_{file_};
  IndexEdges edges_{file_};
  std::unordered_map<TaskId, Facts> changed_;  // read since the last settle()
  std::set<TaskId> affected_;                  // wait for a task that was completed or removed
  std::vector<TaskId> became_ready_;
};

}  // namespace team
