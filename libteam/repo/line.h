// The line of a team: the branch team/<team>, which holds all landed work.
//
// It moves only by landings, one at a time. A process that lands holds the lock of the line. The lock is held until the
// git of a killed process has ended too, because its keeper shares the lock (system/process.h). So nobody can move the
// line behind the back of its holder.
#pragma once

#include <optional>
#include <string>

#include "libteam/repo/repository.h"
#include "libteam/system/lock.h"

namespace team {

class Line {
 public:
  // `repository` outlives this.
  Line(const Repository& repository, const std::string& team);

  // "team/alpha".
  const std::string& name() const { return name_; }
  std::optional<std::string> tip() const;
  // The tip; makes the line if it is missing. It then starts at `start`, a name of a commit; empty: HEAD. Throws
  // invalid_state if there is no such commit.
  std::string begin(const std::string& start) const;
  // True if the commit has landed.
  bool has(const std::string& commit) const;
  // The checkout in which a person has checked out the line: there it must not move. None usually.
  std::optional<std::string> checked_out_in() const;

  // Waits until no other process lands. Throws again after `seconds`.
  Lock lock(double seconds) const;
  // For the holder of the lock: moves the line from `from` to `to`, durably. False if the line is elsewhere by now.
  bool move(const std::string& to, const std::string& from, Durability durability) const;

 private:
  void remove_stale_lock() const;

  const Repository& repository_;
  std::string team_, name_, ref_;
};

}  // namespace team
