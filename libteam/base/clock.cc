#include "libteam/base/clock.h"

#include <fcntl.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "libteam/base/error.h"

namespace team {

namespace {

std::int64_t read_clock(clockid_t clock) {
  timespec at{};
  ::clock_gettime(clock, &at);
  return at.tv_sec * 1'000'000'000LL + at.tv_nsec;
}

}  // namespace

double now() { return static_cast<double>(now_ns() / 1000) / 1e6; }

std::int64_t now_ns() { return read_clock(CLOCK_REALTIME); }

std::int64_t boot_ns() { return read_clock(CLOCK_BOOTTIME); }

std::string boot_id() {
  constexpr const char* kFile = "/proc/sys/kernel/random/boot_id";
  const int fd = ::open(kFile, O_RDONLY | O_CLOEXEC);
  if (fd < 0 && (errno == ENOENT || errno == EACCES || errno == EPERM)) return {};
  char text[36];
  ssize_t got = -1;
  if (fd >= 0) {
    do got = ::read(fd, text, sizeof text);
    while (got < 0 && errno == EINTR);
    const int reason = errno;
    ::close(fd);
    errno = reason;
  }
  // A wrong boot id would end every claim.
  if (got != sizeof text) fail_errno("cannot read", kFile);
  return std::string(text, sizeof text);
}

Deadline Deadline::in(double seconds) {
  constexpr double kLongest = 1e9;  // 30 years: a larger value would overflow the clock's type
  const auto length = std::chrono::duration<double>(std::clamp(seconds, 0.0, kLongest));
  return Deadline(Clock::now() + std::chrono::duration_cast<Clock::duration>(length));
}

Deadline Deadline::or_at(const Deadline& other) const {
  return !other.end_ || (end_ && *end_ < *other.end_) ? *this : other;
}

bool Deadline::passed() const { return end_ && Clock::now() >= *end_; }

Deadline Deadline::later_by(double seconds) const {
  if (!end_) return *this;
  return Deadline(*end_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)));
}

int Deadline::left_ms() const {
  if (!end_) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*end_ - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, 1'000'000'000));
}

void sleep_until(const Deadline& deadline) {
  while (!deadline.passed()) ::poll(nullptr, 0, deadline.left_ms());
}

}  // namespace team
