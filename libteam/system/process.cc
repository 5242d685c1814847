#include "libteam/system/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "libteam/base/error.h"
#include "libteam/base/number.h"
#include "libteam/base/text.h"
#include "libteam/system/trace.h"

extern "C" char** environ;

namespace team {

namespace {

constexpr double kGrace = 2;
constexpr std::size_t kMostKept = 64 * 1024;
// Marks a detached process in its environment. The value is its own pid, so that its children are not marked. It is
// "all" if a descendant of the started process must live on.
constexpr std::string_view kDetached = "TEAM_DETACHED";
// The commands to the keeper are signals.
constexpr int kStop = SIGTERM;
constexpr int kKill = SIGINT;
constexpr int kOrphaned = SIGUSR1;

// The mask for files of other programs: our own is narrow. Read before main() changes it.
const mode_t kInheritedMask = [] {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return mask;
}();

int exit_status(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

std::string read_proc(pid_t pid, const char* what) {
  const Fd fd(::open(fmt::format("/proc/{}/{}", pid, what).c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char buffer[4096];
  while (fd) {
    const ssize_t got = ::read(fd.get(), buffer, sizeof buffer);
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

bool is_detached(pid_t pid) {
  for (const std::string& variable : split(read_proc(pid, "environ"), '\0')) {
    if (!variable.starts_with(kDetached) || variable.size() <= kDetached.size()) continue;
    const std::string value = variable.substr(kDetached.size() + 1);
    return value == "all" || value == std::to_string(pid);
  }
  return false;
}

// The state of a process, from /proc.
struct Status {
  pid_t parent = 0;
  bool is_over = false;  // nothing of it runs: it waits to be reaped
};

std::optional<Status> status_of(pid_t pid) {
  // "PID (NAME) STATE PPID ... THREADS ...": the name may contain anything, so the last parenthesis counts.
  const std::string stat = read_proc(pid, "stat");
  const std::size_t end = stat.rfind(')');
  Status status;
  char state = 0;
  int threads = 0;
  constexpr const char* kFormat =
      " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d";  // states(3), ppid(4), threads(20)
  if (end == std::string::npos || std::sscanf(stat.c_str() + end + 1, kFormat, &state, &status.parent, &threads) != 3) {
    return std::nullopt;
  }
  // A process whose main thread has ended is shown as a zombie while its other threads run.
  status.is_over = (state == 'Z' || state == 'X') && threads <= 1;
  return status;
}

// The children of each process.
std::map<pid_t, std::vector<pid_t>> all_children() {
  std::map<pid_t, std::vector<pid_t>> children;
  DIR* proc = ::opendir("/proc");
  if (proc == nullptr) return children;
  while (const dirent* entry = ::readdir(proc)) {
    const auto pid = parse_integer(entry->d_name);
    if (!pid) continue;
    const auto status = status_of(static_cast<pid_t>(*pid));
    if (status && !status->is_over) children[status->parent].push_back(static_cast<pid_t>(*pid));
  }
  ::closedir(proc);
  return children;
}

// All living descendants of `root`, without detached ones.
std::vector<pid_t> descendants(pid_t root) {
  const auto children = all_children();
  std::vector<pid_t> found;
  std::vector<pid_t> open = {root};
  while (!open.empty()) {
    const auto entry = children.find(open.back());
    open.pop_back();
    if (entry == children.end()) continue;
    for (const pid_t child : entry->second) {
      if (is_detached(child)) continue;
      found.push_back(child);
      open.push_back(child);
    }
  }
  return found;
}

sigset_t set_of(std::initializer_list<int> signals) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : signals) ::sigaddset(&set, signal);
  return set;
}

// The signal state that a shell gives to a program.
void reset_signals() {
  for (const int signal : {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD}) ::signal(signal, SIG_DFL);
  const sigset_t none = set_of({});
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void place(int fd, int as) {
  // dup2 onto the same number would keep O_CLOEXEC.
  if (fd == as) ::fcntl(as, F_SETFD, 0);
  else ::dup2(fd, as);
}

constexpr int kExecutable = 3;

// Executes kExecutable. Returns with errno set if that fails.
void execute_descriptor(char** arguments) {
  const std::string name = fmt::format("/proc/self/fd/{}", kExecutable);
  if (::access(name.c_str(), F_OK) != 0) {
    // Without /proc this works for all files except scripts: no name leads their interpreter to the descriptor.
    ::syscall(SYS_execveat, kExecutable, "", arguments, environ, AT_EMPTY_PATH);
    return;
  }
  ::execv(name.c_str(), arguments);
  if (errno != ENOEXEC) return;
  const char* shell[] = {"sh", name.c_str(), nullptr};  // like execvp for a script without a "#!" line
  ::execv("/bin/sh", const_cast<char**>(shell));
}

// Runs in the new process and executes the program.
[[noreturn]] void become(const Program& program) {
  ::setsid();
  reset_signals();
  ::umask(kInheritedMask);
  const bool entered = program.folder < 0 || ::fchdir(program.folder) == 0;
  if (program.executable >= 0) place(program.executable, kExecutable);
  // The program inherits no other descriptors of our caller.
  ::syscall(SYS_close_range, program.executable >= 0 ? kExecutable + 1U : 3U, ~0U, 0U);
  for (const auto& [name, value] : program.environment) {
    if (value) ::setenv(name.c_str(), value->c_str(), 1);
    else ::unsetenv(name.c_str());
  }
  const auto refuse = [&](const std::string& what, int status) {
    const std::string line = fmt::format("cannot run '{}': {}\n", what, std::strerror(errno));
    write_all(STDERR_FILENO, line);
    ::_exit(status);
  };
  if (!entered) refuse("its folder", 126);
  if (program.directory && ::chdir(program.directory->c_str()) != 0) refuse(*program.directory, 126);
  std::vector<char*> arguments;
  for (const std::string& argument : program.arguments) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  if (program.executable >= 0) execute_descriptor(arguments.data());
  else ::execvp(arguments[0], arguments.data());
  refuse(program.arguments[0], errno == ENOENT ? 127 : 126);
  ::_exit(127);
}

// The process between us and the program.
class Keeper {
 public:
  Keeper(pid_t parent, Fd report) : report_(std::move(report)) {
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

  [[noreturn]] void keep(pid_t program) {
    program_ = program;
    while (!ended_ && !told_) hear(-1);
    end_all();
    if (!ended_) tell(128 + SIGKILL);  // not even KILL ended it
    ::_exit(0);
  }

  // True while the program should still be started.
  bool is_wanted() const { return patience_ > 0; }

 private:
  // Reports the exit status of the program, once.
  void tell(int status) {
    ended_ = true;
    write_all(report_.get(), std::string_view(reinterpret_cast<const char*>(&status), sizeof status));
  }

  // False if no child is left.
  bool reap() {
    int wait_status = 0;
    pid_t pid = 0;
    while ((pid = ::waitpid(-1, &wait_status, WNOHANG)) > 0) {
      if (pid == program_) tell(exit_status(wait_status));
    }
    return pid == 0;
  }

  void hear(int timeout_ms) {
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

  static bool signal_all(int signal) {
    const auto all = descendants(::getpid());
    for (const pid_t pid : all) ::kill(pid, signal);
    return !all.empty();
  }

  void end_all() {
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

  Fd report_;
  Fd signals_;
  pid_t program_ = -1;
  bool ended_ = false;
  bool told_ = false;
  double patience_ = kGrace;
};

struct Pipe {
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) fail_errno("cannot make", "a pipe");
    reading = Fd(ends[0]);
    writing = Fd(ends[1]);
  }
  Fd reading, writing;
};

void do_not_block(const Fd& fd) { ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK); }

// No signal may reach a new process before it is ready for it.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

Child::Child(const Program& program) : name_(program.arguments.front()), text_(program.input) {
  Pipe input;
  Pipe out;
  Pipe err;
  Pipe report;
  const pid_t parent = ::getpid();
  {
    const SignalsBlocked blocked;
    keeper_ = ::fork();
    if (keeper_ < 0) fail_errno("cannot start", program.arguments.front());
    if (keeper_ == 0) {
      Keeper keeper(parent, std::move(report.writing));
      const pid_t child = keeper.is_wanted() ? ::fork() : -1;
      if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // if somebody kills the keeper
        place(input.reading.get(), STDIN_FILENO);
        place(program.output >= 0 ? program.output : out.writing.get(), STDOUT_FILENO);
        place(program.output >= 0 ? program.output : err.writing.get(), STDERR_FILENO);
        become(program);
      }
      if (child < 0) {
        const std::string line = fmt::format("cannot run '{}': {}\n", program.arguments[0], std::strerror(errno));
        write_all(program.output >= 0 ? program.output : err.writing.get(), line);
        ::_exit(126);
      }
      for (Pipe* pipe : {&input, &out, &err, &report}) {
        pipe->reading = Fd();
        pipe->writing = Fd();
      }
      keeper.keep(child);
    }
  }
  input_ = std::move(input.writing);
  out_ = std::move(out.reading);
  err_ = std::move(err.reading);
  report_ = std::move(report.reading);
  for (const Fd* fd : {&input_, &out_, &err_, &report_}) do_not_block(*fd);
  trace("child: started {}, kept by pid {}", name_, keeper_);
}

Child::~Child() {
  if (keeper_ < 0) return;
  kill();
  ::waitpid(keeper_, nullptr, 0);
  trace("child: killed {}, kept by pid {}", name_, keeper_);
}

void Child::stop() const {
  if (keeper_ > 0) ::kill(keeper_, kStop);
}

void Child::kill() const {
  if (keeper_ > 0) ::kill(keeper_, kKill);
}

// Writes as much input as the program reads; a program that does not read it is not an error.
void Child::feed() {
  while (fed_ < text_.size()) {
    const ssize_t put = ::write(input_.get(), text_.data() + fed_, text_.size() - fed_);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EAGAIN) return;
    if (put < 0) break;
    fed_ += static_cast<std::size_t>(put);
  }
  input_ = Fd();
}

// Passes on available output; false at its end. Stops after a while, so that a program that never pauses does not block
// other work.
bool Child::drain(Fd& fd, Stream stream, const Hear& hear) const {
  char buffer[65536];
  for (int i = 0; i < 16; ++i) {
    const ssize_t got = ::read(fd.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return true;
    if (got <= 0) {
      fd = Fd();
      return false;
    }
    hear(stream, std::string_view(buffer, static_cast<std::size_t>(got)));
  }
  return true;
}

// The keeper has ended when its end of the pipe is closed.
bool Child::is_over() {
  int status = 0;
  const ssize_t got = ::read(report_.get(), &status, sizeof status);
  if (got == static_cast<ssize_t>(sizeof status)) status_ = status;
  return got == 0;
}

Child::Woke Child::wait(const Deadline& deadline, int interrupt, const Hear& hear) {
  while (true) {
    if (input_) feed();
    pollfd waiting[] = {{report_.get(), POLLIN, 0},
                        {out_ ? out_.get() : -1, POLLIN, 0},
                        {err_ ? err_.get() : -1, POLLIN, 0},
                        {input_ ? input_.get() : -1, POLLOUT, 0},
                        {interrupt, POLLIN, 0}};
    const int ready = ::poll(waiting, std::size(waiting), deadline.left_ms());
    if (ready < 0 && errno != EINTR) fail_errno("cannot wait for", "a program");
    const bool spoke_out = waiting[1].revents != 0 && drain(out_, Stream::out, hear);
    const bool spoke_err = waiting[2].revents != 0 && drain(err_, Stream::err, hear);
    if (waiting[0].revents != 0 && is_over()) break;
    if (waiting[4].revents != 0) return Woke::interrupted;
    if (deadline.passed()) return Woke::deadline;
    if (spoke_out || spoke_err) return Woke::heard;
  }
  // Only a process that KILL could not end may still write. The available output is all.
  if (out_) drain(out_, Stream::out, hear);
  if (err_) drain(err_, Stream::err, hear);
  int ending = 0;
  ::waitpid(keeper_, &ending, 0);
  if (ending != 0) status_ = exit_status(ending);  // somebody killed the keeper, or it could not start the program
  trace("child: {}, kept by pid {}, ended with status {}", name_, keeper_, status_);
  keeper_ = -1;
  return Woke::ended;
}

Answered run_program(const Program& program, double seconds) {
  Answered answered;
  Child child(program);
  const auto keep = [&](Child::Stream stream, std::string_view text) {
    std::string& kept = stream == Child::Stream::out ? answered.out : answered.err;
    kept += text.substr(0, kMostKept - std::min(kMostKept, kept.size()));
  };
  Deadline limit = Deadline::in(seconds);
  while (true) {
    const Child::Woke woke = child.wait(limit, -1, keep);
    if (woke == Child::Woke::ended) break;
    if (woke == Child::Woke::heard) continue;
    answered.in_time = false;
    limit = Deadline::never();
    child.stop();
  }
  answered.status = child.status();
  return answered;
}

pid_t start_detached(const Program& program, const Fd& log) {
  const Fd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const SignalsBlocked blocked;
  const pid_t pid = ::fork();
  if (pid < 0) fail_errno("cannot start", program.arguments.front());
  if (pid == 0) {
    place(nothing.get(), STDIN_FILENO);
    place(log.get(), STDOUT_FILENO);
    place(log.get(), STDERR_FILENO);
    Program detached = program;
    detached.environment.emplace_back(kDetached, std::to_string(::getpid()));
    become(detached);
  }
  trace("child: started {} detached, pid {}", program.arguments.front(), pid);
  return pid;
}

Fd watch_process(pid_t pid) { return Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))); }

std::optional<int> ended_child(pid_t pid) {
  int wait_status = 0;
  if (::waitpid(pid, &wait_status, WNOHANG) != pid) return std::nullopt;
  trace("child: pid {} ended with status {}", pid, exit_status(wait_status));
  return exit_status(wait_status);
}

bool kill_tree(pid_t root, const std::function<bool()>& is_meant) {
  // A descriptor names one process for ever; a pid can be reused.
  std::map<pid_t, Fd> stopped;
  const auto signal = [](const Fd& process, int number) {
    return ::syscall(SYS_pidfd_send_signal, process.get(), number, nullptr, 0) == 0;
  };
  Fd first = watch_process(root);
  if (!first || !is_meant() || !signal(first, SIGSTOP)) return false;
  stopped.emplace(root, std::move(first));
  // A stopped process starts no other. When a look finds no new process, all are stopped.
  for (bool found = true; found;) {
    found = false;
    for (const pid_t pid : descendants(root)) {
      if (stopped.contains(pid)) continue;
      Fd process = watch_process(pid);
      const auto status = status_of(pid);
      // A child of a stopped process is not reaped, so its pid is not reused.
      if (!process || !status || !stopped.contains(status->parent)) continue;
      signal(process, SIGSTOP);
      stopped.emplace(pid, std::move(process));
      found = true;
    }
  }
  for (const auto& [pid, process] : stopped) signal(process, SIGKILL);
  return true;
}

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

mode_t inherited_mask() { return kInheritedMask; }

std::string own_folder() {
  char path[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  const std::string_view whole(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  return std::string(whole.substr(0, whole.rfind('/')));
}

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = {};
  return ::gethostname(name, HOST_NAME_MAX) == 0 ? name : "";
}

}  // namespace team
