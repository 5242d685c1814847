// The process between a process of ours and a program that it runs.
//
// The keeper adopts the orphans of the program. It ends all descendants when the program has ended, on request, or at
// once when our process dies.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include "libteam/system/file.h"

namespace team {

class Keeper {
 public:
  // The commands to a keeper are signals.
  static constexpr int kStop = SIGTERM;  // TERM, 2 s, KILL to all descendants
  static constexpr int kKill = SIGINT;   // KILL to all descendants

  // Makes the present process, a new child of `parent`, a keeper. It writes the exit status of the program, an int, to
  // `report`, which is closed when no descendant is left.
  Keeper(pid_t parent, Fd report);

  // True while the program should still be started.
  bool is_wanted() const { return patience_ > 0; }

  // Waits for the program, a child of this process, and ends with it.
  [[noreturn]] void keep(pid_t program);

 private:
  static constexpr double kGrace = 2;

  void tell(int status);
  bool reap();
  void hear(int timeout_ms);
  static bool signal_all(int signal);
  void end_all();

  Fd report_;
  Fd signals_;
  pid_t program_ = -1;
  bool ended_ = false;
  bool told_ = false;
  double patience_ = kGrace;
};

}  // namespace team
