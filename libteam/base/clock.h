// Time, on three clocks: the wall clock for people, the boot clock for leases, and deadlines.
//
// The boot clock counts suspended time, and nobody can set it. A change of the wall clock does not affect deadlines.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace team {

// Unix seconds with microseconds, as in every file.
double now();

// Nanoseconds of the wall clock, comparable to a file's mtime.
std::int64_t now_ns();

// Nanoseconds since this machine booted, including suspended time.
std::int64_t boot_ns();

// Identifies this boot of this machine; empty where the system does not tell.
std::string boot_id();

// A moment at which waiting ends. A deadline without a limit never passes.
class Deadline {
 public:
  static Deadline never() { return Deadline(std::nullopt); }
  static Deadline in(double seconds);

  bool passed() const;
  // The earlier of both.
  Deadline or_in(double seconds) const { return or_at(in(seconds)); }
  Deadline or_at(const Deadline& other) const;
  // Moved by so many seconds.
  Deadline later_by(double seconds) const;
  // Milliseconds left, for poll(2): -1 without a limit; rounded up so that a wait does not end early.
  int left_ms() const;

 private:
  using Clock = std::chrono::steady_clock;
  explicit Deadline(std::optional<Clock::time_point> end) : end_(end) {}
  std::optional<Clock::time_point> end_;
};

// Blocks until then.
void sleep_until(const Deadline& deadline);

}  // namespace team
