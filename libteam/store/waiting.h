// Waiting for a task, a member or a team.
//
// No wait sleeps past something that could be claimed: the death of an owner and the end of a lease wake every waiter,
// and the waiter returns the task to the board. A wait ends when it can no longer succeed, unless the caller wants to
// keep waiting. A waiter also goes on when the store is removed and made again (git stash, git clean): it waits for the
// folder to come back, and judges only what is there a moment later.
//
// Nothing polls where the file system tells of changes. No lock is held while a waiter sleeps.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "libteam/base/clock.h"
#include "libteam/store/board.h"
#include "libteam/store/files/roster.h"
#include "libteam/system/watch.h"

namespace team {

struct WaitEnd {
  enum class Kind { done, too_late, hopeless };
  Kind kind = Kind::done;
  std::string reason = "";  // why it is hopeless
};

struct WaitRules {
  Deadline deadline = Deadline::never();
  bool keep_waiting = false;  // also for what can no longer happen
};

// Wakes one that waits for changes of a board, of a team, or of both.
class Waiter {
 public:
  // With the team, all changes in its folder wake it too, not only the deaths of owners. The watch begins here. `board`
  // outlives this.
  enum class Scope { board, board_and_team };
  Waiter(Board& board, Scope scope, const WaitRules& rules);

  // Blocks until something changed, a task lapsed, or is_certain() may change its answer. False if the deadline passed.
  bool wait(const Lapses& lapses);

  // Of the last wait.
  const Changes& changes() const { return changes_; }
  // Whether an owner died or a lease ended: then reclaim() makes that known.
  bool has_lapsed() const { return has_lapsed_; }
  // Whether the board has another folder, or none.
  bool has_moved() const { return has_moved_; }
  bool is_missing() const { return is_missing_; }

  // Whether it may be said that the wait is hopeless. Not at once after a change: files that are removed and made again
  // are missing for a moment.
  bool is_certain();
  // There is hope again.
  void hope() { doubt_.reset(); }
  // The next wait() takes no longer than this.
  void look_in(double seconds) { retry_ = Deadline::in(seconds); }

  // Returns tasks of dead owners and ended leases to the board. If the system refuses, the next wait() is short.
  void reclaim();

 private:
  void watch();
  bool watch_owners(const std::vector<std::string>& owners);
  bool has_died(const std::vector<std::string>& owners) const;
  void await_removal();
  void find_folders();
  void reopen();

  Board& board_;
  Scope scope_;
  WaitRules rules_;
  Watch watch_;
  Changes changes_;
  std::set<std::string> owners_;  // whose deaths are watched
  std::optional<Deadline> doubt_;
  std::optional<Deadline> retry_;
  bool has_woken_ = false;
  bool has_lapsed_ = false;
  bool has_moved_ = false;
  bool is_missing_ = false;
};

// Claims the next ready task; while an owner is dying, waits for its end (at most a second).
std::optional<Changed> claim_next_or_settle(Board& board, const Actor& actor);

// The same, but waits until a task is ready. Throws what Board::claim_next() does.
struct ClaimEnd {
  std::optional<Changed> claimed;  // with done
  WaitEnd end;
};
ClaimEnd wait_next(Board& board, const Roster& roster, const Team* team, const Actor& actor, const WaitRules& rules);

// What is told to one who waits for tasks.
struct TaskVisits {
  std::function<void(const Task&)> ended;
  BoardView::Report broken;
};
// Waits until all of `ids` have ended, and visits each when it has. Throws not_found if one does not exist or goes,
// corrupt if one is broken. Hopeless once those that are left cannot end.
WaitEnd wait_ended(Board& board, const Roster& roster, const Team* team, const std::vector<TaskId>& ids,
                   const WaitRules& rules, const TaskVisits& visits);
// The same for all that are there now; one that goes is not waited for, a broken one is reported and passed over.
WaitEnd wait_all_ended(Board& board, const Roster& roster, const Team* team, const WaitRules& rules,
                       const TaskVisits& visits);

// Waits until the member idles. Hopeless if it ran and does not run any more, or leaves the team.
WaitEnd wait_idle(Board& board, const Roster& roster, const std::string& team, const std::string& member,
                  const WaitRules& rules);
// Waits until all teammates that run idle and nothing is ready. Hopeless if some ran and none runs any more.
WaitEnd wait_all_idle(Board& board, const Roster& roster, const std::string& team, const WaitRules& rules);

}  // namespace team
