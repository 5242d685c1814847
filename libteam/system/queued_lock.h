// A post that one of many has. The others wait for it while they wait for other things too; it comes to one of them at
// a time, and only that one wakes.
//
// It is a lock; with the process that holds it, however that ends, it is free for the next one.
// The kernel lets those who block in flock(2) form a line, and wakes the first. So a thread of its own stands in line.
// It cannot be called back: who has lost interest passes the post on as soon as it comes, and who is interested again
// before that is still in line.
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
  // Leaves.
  ~QueuedLock();

  const std::string& name() const { return name_; }
  // Whether this one has it, or gets it now. Does not block.
  bool take();
  // Takes it, or stands in line for it: then fd() can be read from as soon as it has come.
  bool take_or_wait();
  int fd() const;
  // Lets go of it, or loses interest.
  void leave();

 private:
  struct Line;
  std::string name_;
  std::shared_ptr<Line> line_;
};

}  // namespace team
