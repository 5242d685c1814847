// The loop of everything that waits for a board, a team or both.
//
// The death of an owner and the end of a lease wake every waiter. The waiter then returns the task to the board, so
// nobody misses a task that could be claimed. A wait ends when it can no longer succeed, unless the caller wants to
// keep waiting. A waiter survives that the store is removed and made again (git stash, git clean). It waits until the
// store is back, and gives it a moment before it decides that the wait is hopeless.
//
// A waiter polls only if the store cannot report changes. No lock is held while a waiter sleeps.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "libteam/base/clock.h"
#include "libteam/store/board.h"
#include "libteam/store/engine.h"
#include "libteam/store/watcher.h"

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

class Waiter {
 public:
  // With the team, all changes of the team wake it, not only the deaths of owners. The watch begins here. `engine`
  // and `board` outlive this.
  enum class Scope { board, board_and_team };
  Waiter(const Engine& engine, Board& board, Scope scope, const WaitRules& rules);

  // Adds more topics to the watch, now and each time that it begins again.
  void watch_also(std::function<void(Watcher&)> add);

  // Blocks until something changed, a task lapsed, or is_certain() may change its answer; or until `until`. False if
  // the deadline of the rules passed.
  bool wait(const Lapses& lapses, const Deadline& until = Deadline::never());

  // Of the last wait.
  const TeamChanges& changes() const { return changes_; }
  // True if an owner died or a lease ended: then reclaim() returns the task to the board.
  bool has_lapsed() const { return has_lapsed_; }
  // True if the board was replaced by another one, or removed.
  bool has_moved() const { return has_moved_; }
  bool is_missing() const { return is_missing_; }

  // True if a caller may decide that the wait is hopeless. False for a moment after a change, because tasks may be
  // removed and made again.
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
  bool has_lost(const std::vector<std::string>& owners) const;
  void find_store();
  void reopen();

  Board& board_;
  Scope scope_;
  WaitRules rules_;
  std::unique_ptr<Watcher> watcher_;
  std::function<void(Watcher&)> also_;
  TeamChanges changes_;
  std::set<std::string> owners_;  // whose deaths are watched
  std::optional<Deadline> doubt_;
  std::optional<Deadline> retry_;
  bool has_woken_ = false;
  bool has_lapsed_ = false;
  bool has_moved_ = false;
  bool is_missing_ = false;
};

// Throws not_found: the board is missing and did not come back.
[[noreturn]] void fail_as_removed(const Board& board);

}  // namespace team
