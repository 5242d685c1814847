// A bell for who is in a call: it rings when a signal came, when something urgent did, or at a deadline.
//
// It watches a folder from a thread of its own for as long as it exists; an idle teammate has none.
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "libteam/base/clock.h"
#include "libteam/system/event_fd.h"
#include "libteam/system/file.h"
#include "libteam/system/process.h"

namespace team {

class CallInterrupter {
 public:
  // `is_urgent` is asked from that thread whenever `file` of the folder has changed, or anything if none is named. All
  // outlive this.
  CallInterrupter(const Folder& folder, const Signals& signals, std::function<bool()> is_urgent,
                  const Deadline& deadline, std::string file = "");
  CallInterrupter(const CallInterrupter&) = delete;
  CallInterrupter& operator=(const CallInterrupter&) = delete;
  ~CallInterrupter();

  // Can be read from once it rang.
  int fd() const { return bell_.fd(); }
  // Listens anew: for who has looked after what rang.
  void rest();

 private:
  void listen_or_ring();
  void listen();
  bool looks_urgent() const;

  const Folder& folder_;
  std::string file_;
  const Signals& signals_;
  std::function<bool()> is_urgent_;
  Deadline deadline_;
  EventFd bell_, again_, end_;
  std::thread thread_;
};

}  // namespace team
