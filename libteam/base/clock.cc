#include "libteam/base/clock.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

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
  char text[36];
  const int fd = ::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  const ssize_t got = ::read(fd, text, sizeof text);
  ::close(fd);
  return got == sizeof text ? std::string(text, sizeof text) : std::string();
}

std::string clock_time(double timestamp) {
  const auto whole = static_cast<std::time_t>(timestamp);
  std::tm parts{};
  ::localtime_r(&whole, &parts);
  char text[16];
  std::strftime(text, sizeof text, "%H:%M:%S", &parts);
  return text;
}

Deadline Deadline::in(double seconds) {
  constexpr double kLongest = 1e9;  // 30 years: past it the clock's own type would overflow
  const auto length = std::chrono::duration<double>(std::clamp(seconds, 0.0, kLongest));
  return Deadline(Clock::now() + std::chrono::duration_cast<Clock::duration>(length));
}

Deadline Deadline::or_at(const Deadline& other) const {
  return !other.end_ || (end_ && *end_ < *other.end_) ? *this : other;
}

bool Deadline::passed() const { return end_ && Clock::now() >= *end_; }

int Deadline::left_ms() const {
  if (!end_) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*end_ - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, 1'000'000'000));
}

}  // namespace team
