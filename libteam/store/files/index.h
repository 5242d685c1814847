// What a board remembers of its files, so that a claim need not read them all.
//
// `.tasks/.index` is a cache: delete it at any time. It is read and written under the board's lock only and never
// believed without a look at the files:
//
//   - the folder's mtime tells that somebody else made, replaced or removed a file: then every file is looked at (stat)
//     and those that changed are read again;
//   - an edit in place leaves that mtime alone: 8 to 256 files are looked at in turn at each refresh, but for changes
//     that have to do with no other task, every file when that did not come round for a minute, and a task that is
//     about to be taken is always read, as are its blockers if they changed;
//   - a writer that died leaves `state` other than clean; a different boot or folder makes everything void;
//   - damage shows by the checksums of the pages, wherever one is looked at: any call may throw Damage. Then rebuild().
//
// Layout: a header, one summary bitmap per lane, then chunks of 4096 ids each: a bitmap per lane, a 64-byte record per
// task and room for as many edges. A lane holds the tasks that are ready for the same reason: see lane_of(). An edge
// joins a task and one of its blockers; linked lists lead from a task to its blockers and from a blocker to the tasks
// that wait for it. A sweep computes for every task whether it is ready, from the records of the task and its blockers.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "libteam/record/task.h"
#include "libteam/store/board_engine.h"
#include "libteam/store/files/task_files.h"
#include "libteam/system/paged_file.h"

namespace team {

class Index {
 public:
  // Under the board's lock, which outlives this.
  explicit Index(const TaskFiles& files);

  // Brings the index up to date with the folder: at the cost of a few looks when nobody else touched it, of none for
  // who only cares for one task.
  enum class Care { usual, one_task };
  void refresh(Care care = Care::usual);
  // Looks at every file.
  void sweep();
  // Forgets everything and reads every file.
  void rebuild();
  // Whether a sweep within the last second says that nothing more is to be found.
  bool swept_lately();
  // Whether the folder is as the last refresh or commit left it: those who take no lock may touch it at any time.
  bool is_current();

  TaskId highest();
  std::int64_t count();

  // The best task that this member may take, as far as the index knows; none of `passed`.
  std::optional<TaskId> first_ready(const std::string& member, const std::optional<std::string>& role,
                                    const std::set<TaskId>& passed);
  // A search that had to pass over many tasks of others leaves a hint for the next one. Saves the hints, if there are
  // new ones and no change is under way.
  void keep_hints();
  // Whether a task is ready, as far as the index knows, that is this member's already.
  bool has_ready_of(const std::string& member);
  // Tasks in progress, with the hash of their owner and when their lease runs out (boot clock, 0: never).
  std::vector<RunningTask> running();
  // Those that may wait for `id`: pending or not, and perhaps no longer. To be verified by reading them.
  std::vector<TaskId> dependents(TaskId id);
  // No task waits for an id above this one.
  TaskId highest_blocker();
  // Whether a task just read, and its blockers as their files are now, agree with the index that it is ready.
  bool confirm_ready(const TaskFile& file);
  // Completed, by the file itself if it changed since it was last read.
  bool is_completed(TaskId id);
  // Whether there is such a task now.
  bool exists(TaskId id) const { return id >= 1 && id <= kLargestTaskId && files_.stamp(id); }
  // Reads the task again, whatever is known of it.
  void look_at(TaskId id);

  // Before a batch is begun that is written without the board's lock: if its writer dies, what it left is removed.
  void expect_batch();
  // Around every change of files: begin() before the first, put() and forget() for what was done, commit() at the end.
  // If commit() is not reached the next refresh finds out what happened.
  void begin();
  void put(const Task& task, const Stamp& stamp);
  void forget(TaskId id);
  // Gives the tasks that became ready since begin(). `folder_mtime` is what our change made of it: what somebody else
  // changes from then on, be it before we come here, is noticed.
  std::vector<TaskId> commit(std::int64_t folder_mtime);

  // The same after a rebuild in place of a commit, for a task that was changed: those that waited for it.
  std::vector<TaskId> ready_dependents(TaskId id);

  // What the index believes, for team-fsck: none if it knows no such task.
  struct Belief {
    std::optional<Status> status;  // none: a file that cannot be read
    bool ready;
  };
  std::optional<Belief> belief(TaskId id);

 private:
  struct Header;
  struct Record;
  // What the index needs to know of a task.
  struct Facts {
    std::uint8_t status;
    int priority = 0;
    std::uint64_t owner = 0;
    std::uint64_t role = 0;
    std::int64_t lease_end = 0;
    std::vector<TaskId> blockers = {};
  };

  Header& header();
  const Record& record(TaskId id);
  Record& edit_record(TaskId id);
  void reset();
  bool is_void();
  void bring_up_to_date(Care care);
  void look_at_next();
  std::optional<Stamp> stamp_of(TaskId id);
  bool is_racy(TaskId id);
  bool is_damaged(TaskId id);
  void remember(TaskId id, const Facts& facts, const Stamp& stamp);
  void settle();
  bool is_ready(TaskId id);
  std::uint8_t lane_of(const Facts& facts);
  void move_to_lane(TaskId id, std::uint8_t lane);
  void set_bit(std::uint8_t lane, TaskId id, bool value);
  bool has_bit(std::uint8_t lane, TaskId id);
  std::vector<TaskId> all_in_lane(std::uint8_t lane);
  std::optional<TaskId> first_in_lane(std::uint8_t lane, TaskId from);
  std::optional<TaskId> first_of(std::uint8_t lane, std::uint64_t owner, std::uint64_t role,
                                 const std::set<TaskId>& passed);
  bool is_hinted(std::uint8_t lane);
  TaskId hint(std::uint8_t lane, std::uint64_t name);
  void set_hint(std::uint8_t lane, std::uint64_t name, TaskId from);
  void lower_hint(std::uint8_t lane, TaskId id);
  std::vector<std::uint32_t> edges_to_blockers(TaskId id);
  void set_blockers(TaskId id, std::vector<TaskId> wanted);
  std::uint32_t add_edge(TaskId blocker, TaskId dependent);
  bool has_too_many_dropped_edges();
  Facts facts_of(TaskId id);
  void save();

  const TaskFiles& files_;
  PagedFile file_;
  std::string boot_;
  std::unordered_map<TaskId, Facts> changed_;  // read since the last settle()
  std::set<TaskId> affected_;                  // wait for one that was completed or is no longer
  std::vector<TaskId> became_ready_;
  bool has_new_hints_ = false;
};

}  // namespace team
