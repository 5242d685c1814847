// Locks that the kernel keeps: flock(2) on a file of its own that is never removed.
//
// A lock ends with the process that holds it, however that ends, so nothing is ever stale and nothing is ever stolen
// from a living process. The wait is blocking and fair, never a poll. Boost's file_lock is not used: it is an fcntl
// lock, which a process loses as soon as it closes any descriptor of the file.
#pragma once

#include <optional>
#include <string>

#include "libteam/system/file.h"

namespace team {

class Lock {
 public:
  // Blocks until the lock is had or `seconds` have passed: then throws again, with the holder's pid and command.
  static Lock acquire(const Folder& folder, const std::string& name, double seconds);

  // Takes the lock if it is free; none if somebody holds it.
  static std::optional<Lock> try_acquire(const Folder& folder, const std::string& name);

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

// Which process took the lock that somebody holds, by the kernel's own list; none if nobody does or it does not show.
std::optional<int> holder_of(const Folder& folder, const std::string& name);

// Whether the process that took the lock is being killed, or is gone while its keeper still holds the lock: then the
// lock is free soon. A hint only; false where the process cannot be seen.
bool is_about_to_be_free(const Folder& folder, const std::string& name);

}  // namespace team
