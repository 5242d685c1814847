// Reads the lines that a person types while a command runs, on a thread of its own.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "libteam/system/event_fd.h"

namespace team {

class Typing {
 public:
  // Calls `hear` on that thread for each line that is not blank. `hear` must outlive this object.
  explicit Typing(std::function<void(const std::string& line)> hear);
  Typing(const Typing&) = delete;
  Typing& operator=(const Typing&) = delete;
  ~Typing();

  // False after the end of the input.
  bool goes_on() const;
  // Readable after goes_on() has become false, until goes_on() is called.
  int end_fd() const { return over_.fd(); }

 private:
  void listen();
  void hear_line(const std::string& line) const;

  std::function<void(const std::string& line)> hear_;
  std::atomic<bool> goes_on_ = true;
  EventFd over_, enough_;
  std::thread thread_;
};

// True if stdin and stderr are terminals.
bool is_interactive();

}  // namespace team
