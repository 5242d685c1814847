// A descriptor with which one thread wakes another.
#pragma once

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

}  // namespace team
