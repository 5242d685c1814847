// What time it is, on the three clocks that matter here: the wall (what people read), the boot clock (leases: it counts
// sleep and no one can set it), and deadlines, which no change of the wall clock can stretch.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace team {

// Unix seconds with microseconds, as they stand in every file.
double now();

// Nanoseconds of the wall clock, comparable to a file's mtime.
std::int64_t now_ns();

// Nanoseconds since this machine booted, suspended time included.
std::int64_t boot_ns();

// Names this boot of this machine; empty where the system does not tell.
std::string boot_id();

// The time of day of a moment, for people: 14:03:59.
std::string clock_time(double timestamp);

// A moment after which waiting ends; one without limit never passes.
class Deadline {
 public:
  static Deadline never() { return Deadline(std::nullopt); }
  static Deadline in(double seconds);

  bool passed() const;
  // Whichever comes first.
  Deadline or_in(double seconds) const { return or_at(in(seconds)); }
  Deadline or_at(const Deadline& other) const;
  // Milliseconds that are left for poll(2): -1 without limit, rounded up so that a wait does not end early.
  int left_ms() const;

 private:
  using Clock = std::chrono::steady_clock;
  explicit Deadline(std::optional<Clock::time_point> end) : end_(end) {}
  std::optional<Clock::time_point> end_;
};

}  // namespace team
