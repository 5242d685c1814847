// Locks of the kernel: flock(2) on a file that exists only for this and is never removed.
//
// The kernel releases a lock when its process ends in any way, so a lock is never stale and never stolen from a living
// process. Waiting blocks in a fair queue, without polling. Several threads can wait at once: no signal handler and no
// timer of the process is involved. Boost's file_lock is not used: it is an fcntl lock, which a process loses when it
// closes any descriptor of the file.
#pragma once

#include <optional>
#include <string>

#include "libteam/system/file.h"

namespace team {

class Lock {
 public:
  // Blocks until this process has the lock. Throws again after `seconds`, with the pid and the command of the holder if
  // they are visible (lock_holder.h).
  static Lock acquire(const Folder& folder, const std::string& name, double seconds);

  // Takes the lock if it is free; none if somebody holds it.
  static std::optional<Lock> try_acquire(const Folder& folder, const std::string& name);
  Lock(Lock&&) = default;
  Lock& operator=(Lock&& other) noexcept;
  ~Lock();

 private:
  Lock(Fd fd, std::string traced) : fd_(std::move(fd)), traced_(std::move(traced)) {}
  void release() noexcept;

  Fd fd_;
  std::string traced_;  // its path; empty without TEAM_TRACE
};

// The lock that shows that a member is alive. Other processes test it all the time, so acquire() retries for a moment.
// Its release, even by a crash, changes the folder, which wakes the processes that watch it.
class LifeLock {
 public:
  // None if another process has it.
  static std::optional<LifeLock> acquire(const Folder& folder, const std::string& name);

 private:
  explicit LifeLock(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

}  // namespace team
