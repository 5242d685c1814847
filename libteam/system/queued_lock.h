// A lock with a queue of waiters that wait for other events too. Only the next waiter wakes when the lock is free.
//
// The kernel keeps the queue: it releases the lock when the holder ends in any way, and wakes the first process that
// blocks in flock(2). So a thread blocks there for each waiter. It cannot be cancelled: if its owner has called
// leave(), the thread releases the lock as soon as it gets it. An owner that waits again before that keeps its place in
// the queue.
#pragma once

#include <memory>
#include <string>

#include "libteam/system/file.h"

namespace team {

class QueuedLock {
 public:
  // The lock is a file in this folder.
  QueuedLock(const Folder& folder, std::string name);
  QueuedLock(const QueuedLock&) = delete;
  QueuedLock& operator=(const QueuedLock&) = delete;
  // Calls leave().
  ~QueuedLock();

  const std::string& name() const { return name_; }
  // True if this process has the lock, or gets it now. Does not block.
  bool take();
  // Takes the lock, or queues for it: then fd() is readable as soon as this process has it.
  bool take_or_wait();
  int fd() const;
  // Releases the lock, or gives up the place in the queue.
  void leave();

 private:
  struct Line;
  std::string name_;
  std::shared_ptr<Line> line_;
};

}  // namespace team
