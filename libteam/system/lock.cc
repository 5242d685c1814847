#include "libteam/system/lock.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "libteam/base/clock.h"
#include "libteam/base/error.h"
#include "libteam/base/text.h"

namespace team {

namespace {

// Interrupts system calls of this thread from `seconds` on, again and again: a single signal could fall between the
// look at the clock and the call and be lost.
class Alarm {
 public:
  explicit Alarm(double seconds) {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    ::sigaction(SIGALRM, &action, &before_);
    sigset_t alarm;
    ::sigemptyset(&alarm);
    ::sigaddset(&alarm, SIGALRM);
    ::pthread_sigmask(SIG_UNBLOCK, &alarm, &mask_before_);  // a parent may have left it blocked
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGALRM;
    event._sigev_un._tid = static_cast<pid_t>(::syscall(SYS_gettid));
    if (::timer_create(CLOCK_MONOTONIC, &event, &timer_) != 0) fail_errno("cannot make", "a timer");
    constexpr long kAgain = 10'000'000;
    constexpr double kLongest = 1e9;
    seconds = std::min(seconds, kLongest);
    const auto whole = static_cast<time_t>(seconds);
    const auto rest = static_cast<long>((seconds - static_cast<double>(whole)) * 1e9);
    const itimerspec at{{0, kAgain}, {whole, rest > 0 || whole > 0 ? rest : 1}};
    ::timer_settime(timer_, 0, &at, nullptr);
  }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
  ~Alarm() {
    ::timer_delete(timer_);
    ::sigaction(SIGALRM, &before_, nullptr);
    ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
  }

 private:
  struct sigaction before_ {};
  sigset_t mask_before_{};
  timer_t timer_{};
};

Fd open_lock(const Folder& folder, const std::string& name) {
  // Read-only: closing a file that was open for writing would wake everybody who watches the folder.
  return folder.open(name, O_RDONLY | O_CREAT);
}

std::string command_of(int pid) {
  std::string name(64, '\0');
  const Fd fd(::open(fmt::format("/proc/{}/comm", pid).c_str(), O_RDONLY | O_CLOEXEC));
  const ssize_t got = fd ? ::read(fd.get(), name.data(), name.size()) : 0;
  name.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return first_line(name);
}

using FileOfC = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

FileOfC open_list(const char* path) {
  return {std::fopen(path, "re"), [](std::FILE* file) { return std::fclose(file); }};
}

// As the kernel names a file in its list of locks.
struct Place {
  unsigned major_number = 0, minor_number = 0;
  unsigned long inode = 0;
  bool operator==(const Place&) const = default;
};

// The device is that of the mount: btrfs and overlayfs show another one in stat(2).
std::optional<Place> place_of(const Fd& file) {
  struct statx status {};
  if (::statx(file.get(), "", AT_EMPTY_PATH, STATX_INO | STATX_MNT_ID, &status) != 0) return std::nullopt;
  Place place{status.stx_dev_major, status.stx_dev_minor, static_cast<unsigned long>(status.stx_ino)};
  const FileOfC mounts = open_list("/proc/self/mountinfo");
  char line[256];
  bool at_start = true;  // of a line: some are longer than ours
  while (mounts && std::fgets(line, sizeof line, mounts.get()) != nullptr) {
    unsigned long long mount = 0;
    Place found = place;
    const bool parsed =
        at_start && std::sscanf(line, "%llu %*u %u:%u", &mount, &found.major_number, &found.minor_number) == 3;
    if (parsed && mount == status.stx_mnt_id) return found;
    at_start = std::strchr(line, '\n') != nullptr;
  }
  return place;
}

std::optional<int> look_for_holder(const Place& place) {
  const FileOfC locks = open_list("/proc/locks");
  if (!locks) return std::nullopt;
  char line[256];
  while (std::fgets(line, sizeof line, locks.get()) != nullptr) {
    char kind[16];
    int pid = 0;
    Place at;
    if (std::sscanf(line, "%*d: %15s %*s %*s %d %x:%x:%lu", kind, &pid, &at.major_number, &at.minor_number,
                    &at.inode) != 5) {
      continue;  // "-> FLOCK": somebody who waits too
    }
    if (std::strcmp(kind, "FLOCK") == 0 && at == place && pid > 0) return pid;
  }
  return std::nullopt;
}

// The kernel gives its list in parts, between which locks come and go: one that is there may be missed.
std::optional<int> holder_of(const Fd& lock) {
  constexpr int kLooks = 5;
  const auto place = place_of(lock);
  std::optional<int> holder;
  for (int i = 0; i < kLooks && place && !holder; ++i) holder = look_for_holder(*place);
  return holder;
}

// "pid 4711 (task-claim)"; "another process" where the kernel does not show it.
std::string describe_holder(const Fd& lock) {
  const auto pid = holder_of(lock);
  if (!pid) return "another process";
  const std::string command = command_of(*pid);
  return command.empty() ? fmt::format("pid {}", *pid) : fmt::format("pid {} ({})", *pid, command);
}

}  // namespace

Lock Lock::acquire(const Folder& folder, const std::string& name, double seconds) {
  Fd fd = open_lock(folder, name);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return Lock(std::move(fd));
  const Deadline deadline = Deadline::in(seconds);
  const Alarm alarm(seconds);
  while (::flock(fd.get(), LOCK_EX) != 0) {
    if (errno != EINTR) fail_errno("cannot lock", folder.path_of(name));
    if (deadline.passed()) {
      fail(Code::again, "cannot lock '{}': {} holds it; waited {} s", folder.path_of(name), describe_holder(fd),
           seconds);
    }
  }
  return Lock(std::move(fd));
}

std::optional<Lock> Lock::try_acquire(const Folder& folder, const std::string& name) {
  Fd fd = open_lock(folder, name);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return Lock(std::move(fd));
  if (errno == EWOULDBLOCK) return std::nullopt;
  fail_errno("cannot lock", folder.path_of(name));
}

std::optional<LifeLock> LifeLock::acquire(const Folder& folder, const std::string& name) {
  Fd fd = folder.open(name, O_RDWR | O_CREAT);
  // A look ends within microseconds; the keeper of one who was killed needs a few milliseconds to clear up. Not longer:
  // who waits until the other one has done its work would do it once more.
  const Deadline moment = Deadline::in(0.3);
  while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) fail_errno("cannot lock", folder.path_of(name));
    if (moment.passed()) return std::nullopt;
    ::usleep(2000);
  }
  return LifeLock(std::move(fd));
}

Held look_at_lock(const Folder& folder, const std::string& name) {
  const Fd fd(::openat(folder.fd(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd && errno == ENOENT) return Held::no_file;
  if (!fd) fail_errno("cannot open", folder.path_of(name));
  // Shared, so that two who look do not see each other; it ends with the descriptor.
  if (::flock(fd.get(), LOCK_SH | LOCK_NB) == 0) return Held::no;
  if (errno == EWOULDBLOCK) return Held::yes;
  fail_errno("cannot look at", folder.path_of(name));
}

std::optional<int> holder_of(const Folder& folder, const std::string& name) {
  if (look_at_lock(folder, name) != Held::yes) return std::nullopt;
  return holder_of(folder.open(name, O_RDONLY));
}

bool is_about_to_be_free(const Folder& folder, const std::string& name) {
  const auto pid = holder_of(folder, name);
  if (!pid) return false;
  const FileOfC status = open_list(fmt::format("/proc/{}/status", *pid).c_str());
  if (!status) return true;
  char line[256];
  while (std::fgets(line, sizeof line, status.get()) != nullptr) {
    char state = 0;
    unsigned long long pending = 0;
    if (std::sscanf(line, "State: %c", &state) == 1 && (state == 'Z' || state == 'X')) return true;
    constexpr unsigned long long kKill = 1ULL << (SIGKILL - 1);
    const bool parsed =
        std::sscanf(line, "SigPnd: %llx", &pending) == 1 || std::sscanf(line, "ShdPnd: %llx", &pending) == 1;
    if (parsed && (pending & kKill) != 0) return true;
  }
  return false;
}

}  // namespace team
