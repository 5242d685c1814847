// What a person types while a command runs: lines of stdin, heard on a thread of their own.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "libteam/system/bell.h"

namespace team {

class Typing {
 public:
  // `hear` gets each line that is not blank, on that thread. It outlives this.
  explicit Typing(std::function<void(const std::string& line)> hear);
  Typing(const Typing&) = delete;
  Typing& operator=(const Typing&) = delete;
  ~Typing();

  // False once there is nothing more to come.
  bool goes_on() const;
  // Can be read from when that has changed and goes_on() was not asked since.
  int end_fd() const { return over_.fd(); }

 private:
  void listen();
  void hear_line(const std::string& line) const;

  std::function<void(const std::string& line)> hear_;
  std::atomic<bool> goes_on_ = true;
  Bell over_, enough_;
  std::thread thread_;
};

// Whether a person sits at stdin and sees stderr.
bool is_interactive();

}  // namespace team
