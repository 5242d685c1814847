#include "libteam/system/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "libteam/base/error.h"
#include "libteam/system/keeper.h"
#include "libteam/system/signals.h"
#include "libteam/system/trace.h"

namespace team {

namespace {

constexpr std::size_t kMostKept = 64 * 1024;

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

}  // namespace

Child::Child(const Program& program)
    : name_(program.arguments.front()), text_(program.input), is_input_open_(program.is_input_open) {
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
  if (keeper_ > 0) ::kill(keeper_, Keeper::kStop);
}

void Child::kill() const {
  if (keeper_ > 0) ::kill(keeper_, Keeper::kKill);
}

// Writes as much input as the program reads; a program that does not read it is not an error.
void Child::feed() {
  while (fed_ < text_.size()) {
    const ssize_t put = ::write(input_.get(), text_.data() + fed_, text_.size() - fed_);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EAGAIN) return;
    if (put < 0) {
      input_ = Fd();
      return;
    }
    fed_ += static_cast<std::size_t>(put);
  }
  text_.clear();
  fed_ = 0;
  if (!is_input_open_) input_ = Fd();
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
                        {input_ && has_input() ? input_.get() : -1, POLLOUT, 0},
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

}  // namespace team
