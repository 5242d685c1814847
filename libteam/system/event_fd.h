// A descriptor with which one thread wakes another.
#pragma once

#include "libteam/base/clock.h"
#include "libteam/system/file.h"

namespace team {

class EventFd {
 public:
  EventFd();
  // Readable from ring() until take().
  int fd() const { return fd_.get(); }
  void ring() const;
  // True if it rang; resets it.
  bool take() const;

 private:
  Fd fd_;
};

// True if the descriptor is readable now.
bool can_be_read(int fd);
// Blocks until something can be read from it, or until the deadline.
void await_readable(int fd, const Deadline& deadline);

}  // namespace team
