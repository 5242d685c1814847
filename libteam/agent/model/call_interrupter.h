// Interrupts a call of a model: its descriptor becomes readable on a signal, on urgent mail, or at a deadline.
//
// A thread waits for changes as long as this object exists. An idle teammate has no such thread.
#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "libteam/base/clock.h"
#include "libteam/store/watcher.h"
#include "libteam/system/event_fd.h"
#include "libteam/system/signals.h"

namespace team {

class CallInterrupter {
 public:
  // The thread calls `is_urgent` once at its start, and then whenever `watcher` reports new mail. `signals` outlives
  // this.
  CallInterrupter(std::unique_ptr<Watcher> watcher, const Signals& signals, std::function<bool()> is_urgent,
                  const Deadline& deadline);
  CallInterrupter(const CallInterrupter&) = delete;
  CallInterrupter& operator=(const CallInterrupter&) = delete;
  ~CallInterrupter();

  // Readable after an interruption, until rest().
  int fd() const { return bell_.fd(); }
  // Resets the descriptor and listens again. Call it after the cause of the interruption was checked.
  void rest();

 private:
  void listen_or_ring();
  void listen();
  bool looks_urgent() const;

  std::unique_ptr<Watcher> watcher_;
  const Signals& signals_;
  std::function<bool()> is_urgent_;
  Deadline deadline_;
  EventFd bell_, again_, end_;
  std::thread thread_;
};

}  // namespace team
