#include "libteam/system/lock.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "libteam/base/clock.h"
#include "libteam/base/error.h"
#include "libteam/system/flock.h"
#include "libteam/system/lock_holder.h"
#include "libteam/system/trace.h"

namespace team {

namespace {

timespec in_seconds(double seconds) {
  constexpr double kLongest = 1e9;
  seconds = std::min(seconds, kLongest);
  timespec at{};
  ::clock_gettime(CLOCK_MONOTONIC, &at);
  const auto whole = static_cast<time_t>(seconds);
  at.tv_sec += whole;
  at.tv_nsec += static_cast<long>((seconds - static_cast<double>(whole)) * 1e9);
  if (at.tv_nsec >= 1'000'000'000) {
    ++at.tv_sec;
    at.tv_nsec -= 1'000'000'000;
  }
  return at;
}

// A thread that blocks in flock(2), where the kernel keeps the queue. The lock belongs to the open file, not to the
// thread: it stays when the thread has ended.
class Waiter {
 public:
  // Blocks until the file is locked. False if the system refuses or the time is over.
  static bool wait(int fd, const timespec& until) {
    Waiter waiter(fd);
    if (!waiter.start()) return poll(fd, until);
    if (::pthread_clockjoin_np(waiter.thread_, nullptr, CLOCK_MONOTONIC, &until) != 0) {
      ::pthread_cancel(waiter.thread_);
      ::pthread_join(waiter.thread_, nullptr);
    }
    // The thread may have got the lock in the last moment: then the open file already has it.
    return ::flock(fd, LOCK_EX | LOCK_NB) == 0;
  }

 private:
  explicit Waiter(int fd) : fd_(fd) {}

  bool start() {
    // Another thread handles signals.
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = ::pthread_create(&thread_, nullptr, block, this) == 0;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return started;
  }

  static void* block(void* argument) {
    const int fd = static_cast<Waiter*>(argument)->fd_;
    // It has nothing to clean up, so it can be cancelled at any instruction.
    int before = 0;
    ::pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
    while (::flock(fd, LOCK_EX) != 0 && errno == EINTR) continue;
    return nullptr;
  }

  // Fallback if no thread can be started.
  static bool poll(int fd, const timespec& until) {
    constexpr long kPause = 5'000'000;
    while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return false;
      timespec now{};
      ::clock_gettime(CLOCK_MONOTONIC, &now);
      const bool passed = now.tv_sec > until.tv_sec || (now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec);
      if (passed) {
        errno = EWOULDBLOCK;
        return false;
      }
      const timespec pause{0, kPause};
      ::nanosleep(&pause, nullptr);
    }
    return true;
  }

  int fd_;
  pthread_t thread_{};
};

Fd open_lock(const Folder& folder, const std::string& name) {
  // Read-only: closing a file that was open for writing would wake all processes that watch the folder.
  return folder.open(name, O_RDONLY | O_CREAT);
}

// Gives the path of the lock, or nothing if nobody traces.
std::string trace_acquired(const Folder& folder, const std::string& name, std::int64_t ms) {
  if (!is_tracing()) return {};
  std::string path = folder.path_of(name);
  trace("lock: acquired {} after {} ms", path, ms);
  return path;
}

}  // namespace

Lock::~Lock() { release(); }

Lock& Lock::operator=(Lock&& other) noexcept {
  if (this != &other) release();
  fd_ = std::move(other.fd_);
  traced_ = std::move(other.traced_);
  return *this;
}

// Closing is not enough: a program that another thread started meanwhile may have inherited the descriptor.
void Lock::release() noexcept {
  if (!fd_) return;
  ::flock(fd_.get(), LOCK_UN);
  if (!traced_.empty()) trace("lock: released {}", traced_);
}

Lock Lock::acquire(const Folder& folder, const std::string& name, double seconds) {
  Fd fd = open_lock(folder, name);
  if (lock_file(folder, name, fd, LOCK_EX | LOCK_NB) == 0) return {std::move(fd), trace_acquired(folder, name, 0)};
  if (errno != EWOULDBLOCK) fail_errno("cannot lock", folder.path_of(name));
  const std::int64_t start = boot_ns();
  const auto acquired = [&] { return Lock(std::move(fd), trace_acquired(folder, name, ms_since(start))); };
  if (is_tracing()) trace("lock: waiting for {}, at most {} s", folder.path_of(name), seconds);
  if (seconds > 0 && Waiter::wait(fd.get(), in_seconds(seconds))) return acquired();
  if (seconds > 0 && errno != EWOULDBLOCK) fail_errno("cannot lock", folder.path_of(name));
  // The holder may release the lock, or be killed, while we look for it: then the lock is free in a moment. A holder in
  // another pid namespace is never visible.
  constexpr int kLooks = 20;  // a busy lock changes hands between two looks
  Holder holder;
  int unlisted = 0;
  for (const Deadline patience = Deadline::in(1); unlisted < kLooks && !patience.passed(); ::usleep(2000)) {
    holder = describe_holder(fd);
    if (!holder.name.empty()) break;
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return acquired();
    if (!holder.is_listed) ++unlisted;
  }
  if (is_tracing()) trace("lock: timed out on {} after {} ms", folder.path_of(name), ms_since(start));
  fail(Code::again, "cannot lock '{}': {} holds it; waited {} s", folder.path_of(name),
       holder.name.empty() ? "another process" : holder.name, seconds);
}

std::optional<Lock> Lock::try_acquire(const Folder& folder, const std::string& name) {
  Fd fd = open_lock(folder, name);
  if (lock_file(folder, name, fd, LOCK_EX | LOCK_NB) == 0) return Lock(std::move(fd), trace_acquired(folder, name, 0));
  if (errno == EWOULDBLOCK) return std::nullopt;
  fail_errno("cannot lock", folder.path_of(name));
}

std::optional<LifeLock> LifeLock::acquire(const Folder& folder, const std::string& name) {
  Fd fd = folder.open(name, O_RDWR | O_CREAT);
  // A test of the lock takes microseconds; the keeper of a killed member needs a few milliseconds to clean up. A longer
  // wait would be wrong: the caller would repeat the work of a member that ended normally.
  const Deadline moment = Deadline::in(0.3);
  const std::int64_t start = boot_ns();
  while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) fail_errno("cannot lock", folder.path_of(name));
    if (moment.passed()) {
      if (is_tracing()) trace("lock: another process holds {}", folder.path_of(name));
      return std::nullopt;
    }
    ::usleep(2000);
  }
  trace_acquired(folder, name, ms_since(start));
  return LifeLock(std::move(fd));
}

}  // namespace team
