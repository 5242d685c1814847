#include "libteam/system/keeper.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "libteam/base/clock.h"
#include "libteam/system/process_tree.h"
#include "libteam/system/program.h"
#include "libteam/system/signals.h"

namespace team {

namespace {

// The keeper gets this signal when our process dies.
constexpr int kOrphaned = SIGUSR1;

}  // namespace

Keeper::Keeper(pid_t parent, Fd report) : report_(std::move(report)) {
  ::prctl(PR_SET_NAME, "teamkit-keeper");
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_PDEATHSIG, kOrphaned);
  const sigset_t heard = set_of({SIGCHLD, kStop, kKill, kOrphaned});
  ::sigprocmask(SIG_SETMASK, &heard, nullptr);
  ::signal(SIGCHLD, SIG_DFL);
  ::signal(SIGHUP, SIG_IGN);
  signals_ = Fd(::signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK));
  // The parent may have died before the death signal was set.
  if (::getppid() != parent) patience_ = 0;
}

void Keeper::keep(pid_t program) {
  program_ = program;
  while (!ended_ && !told_) hear(-1);
  end_all();
  if (!ended_) tell(128 + SIGKILL);  // not even KILL ended it
  ::_exit(0);
}

// Reports the exit status of the program, once.
void Keeper::tell(int status) {
  ended_ = true;
  write_all(report_.get(), std::string_view(reinterpret_cast<const char*>(&status), sizeof status));
}

// False if no child is left.
bool Keeper::reap() {
  int wait_status = 0;
  pid_t pid = 0;
  while ((pid = ::waitpid(-1, &wait_status, WNOHANG)) > 0) {
    if (pid == program_) tell(exit_status(wait_status));
  }
  return pid == 0;
}

void Keeper::hear(int timeout_ms) {
  pollfd waiting{signals_.get(), POLLIN, 0};
  ::poll(&waiting, 1, timeout_ms);
  signalfd_siginfo signal{};
  while (::read(signals_.get(), &signal, sizeof signal) == static_cast<ssize_t>(sizeof signal)) {
    const int number = static_cast<int>(signal.ssi_signo);
    if (number == SIGCHLD) continue;
    told_ = true;
    if (number != kStop) patience_ = 0;
  }
  reap();
}

bool Keeper::signal_all(int signal) {
  const auto all = descendants(::getpid());
  for (const pid_t pid : all) ::kill(pid, signal);
  return !all.empty();
}

void Keeper::end_all() {
  if (!reap()) return;  // almost always, which avoids reading /proc
  if (patience_ > 0 && !signal_all(SIGTERM)) return;
  if (patience_ > 0) signal_all(SIGCONT);
  // Looks again for processes that they start while they end.
  const Deadline grace = Deadline::in(kGrace);
  int pause_ms = 5;
  while (patience_ > 0 && !grace.passed()) {
    hear(std::min(pause_ms, grace.left_ms()));
    pause_ms = std::min(pause_ms * 2, 100);
    if (!reap() || descendants(::getpid()).empty()) return;
  }
  // A process that may not be killed (another user's) must not block us for ever.
  const Deadline limit = Deadline::in(5);
  while (signal_all(SIGKILL) && !limit.passed()) hear(10);
  reap();
}

}  // namespace team
