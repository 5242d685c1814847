// Reads the lines that a person types while a command runs, on a thread of its own.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "libteam/store/team_session.h"
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

// Sends a line that the user typed: "@NAME TEXT" to that member, anything else to the lead. Warns of a refusal.
void send_typed(TeamSession& session, const std::string& line);

// True if stdin and stderr are terminals.
bool is_interactive();

}  // namespace team
