// A descriptor with which one thread wakes another.
#pragma once

#include "libteam/system/file.h"

namespace team {

class EventFd {
 public:
  EventFd();
  // Can be read from since ring(), until take().
  int fd() const { return fd_.get(); }
  void ring() const;
  // Whether it rang.
  bool take() const;

 private:
  Fd fd_;
};

// Whether something can be read from this descriptor now.
bool can_be_read(int fd);

}  // namespace team
