// Locks that the kernel keeps: flock(2) on a file of its own that is never removed.
//
// A lock ends with the process that holds it, however that ends, so nothing is ever stale and nothing is ever stolen
// from a living process. The wait is blocking and fair, never a poll, and several threads can wait at once: no signal
// handler and no timer of the process is involved. Boost's file_lock is not used: it is an fcntl lock, which a process
// loses as soon as it closes any descriptor of the file.
#pragma once

#include <optional>
#include <string>

#include "libteam/system/file.h"

namespace team {

class Lock {
 public:
  // Blocks until the lock is ours or `seconds` have passed: then throws again, with the pid and the command of the
  // holder as far as they can be seen from here (lock_holder.h).
  static Lock acquire(const Folder& folder, const std::string& name, double seconds);

  // Takes the lock if it is free; none if somebody holds it.
  static std::optional<Lock> try_acquire(const Folder& folder, const std::string& name);
  Lock(Lock&&) = default;
  Lock& operator=(Lock&& other) noexcept;
  ~Lock();

 private:
  explicit Lock(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

// The lock that says that somebody lives. Others look at it all the time, so one who wants it tries for a moment; and
// unlike the others its end, however it comes, is a change of the folder that wakes those who watch it.
class LifeLock {
 public:
  // None if somebody else lives.
  static std::optional<LifeLock> acquire(const Folder& folder, const std::string& name);

 private:
  explicit LifeLock(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

enum class Held { yes, no, no_file };

// Whether anybody holds the lock now. Makes no file and, for others, is as if it had not looked.
Held look_at_lock(const Folder& folder, const std::string& name);

// flock(2) for a file that was opened read-only. NFS locks only files that are open for writing: there `fd` becomes
// another descriptor of the same file. As flock: 0, or -1 with errno set.
int lock_file(const Folder& folder, const std::string& name, Fd& fd, int operation);

}  // namespace team
