// Signals as events that a process can wait for, and the signal state of new processes.
#pragma once

#include <signal.h>

#include <initializer_list>
#include <optional>

#include "libteam/system/file.h"

namespace team {

// From construction on, INT, TERM and HUP do not end the process: it can wait for them.
class Signals {
 public:
  Signals();
  int fd() const { return fd_.get(); }
  // The next signal that arrived; none if there is none.
  std::optional<int> take() const;

 private:
  Fd fd_;
};

// Blocks all signals around a fork: none may reach the new process before it is ready for it.
class SignalsBlocked {
 public:
  SignalsBlocked();
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

sigset_t set_of(std::initializer_list<int> signals);

// Restores the signal state that a shell gives to a program.
void reset_signals();

}  // namespace team
