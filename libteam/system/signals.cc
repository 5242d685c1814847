#include "libteam/system/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

namespace team {

sigset_t set_of(std::initializer_list<int> signals) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : signals) ::sigaddset(&set, signal);
  return set;
}

void reset_signals() {
  for (const int signal : {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD}) ::signal(signal, SIG_DFL);
  const sigset_t none = set_of({});
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

SignalsBlocked::SignalsBlocked() {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before_);
}

SignalsBlocked::~SignalsBlocked() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

Signals::Signals() {
  sigset_t heard = set_of({SIGINT, SIGTERM, SIGHUP});
  // A signal that was ignored at the start (nohup) stays ignored. A shell also ignores INT for background programs, but
  // that concerns only the keyboard.
  struct sigaction action {};
  ::sigaction(SIGHUP, nullptr, &action);
  if (action.sa_handler == SIG_IGN) ::sigdelset(&heard, SIGHUP);
  ::sigprocmask(SIG_BLOCK, &heard, nullptr);
  fd_ = Fd(::signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_) fail_errno("cannot wait for", "signals");
}

std::optional<int> Signals::take() const {
  signalfd_siginfo signal{};
  const bool got = ::read(fd_.get(), &signal, sizeof signal) == static_cast<ssize_t>(sizeof signal);
  return got ? std::optional(static_cast<int>(signal.ssi_signo)) : std::nullopt;
}

}  // namespace team
