#include "libteam/report/time_scale.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "libteam/base/error.h"
#include "libteam/base/time_text.h"
#include "libteam/report/report_style.h"

namespace team {

namespace {

constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
constexpr double kMostSteps = 9;

double step_for(double length) {
  constexpr std::array kSteps = {0.01,        0.02,         0.05,  0.1,          0.2,      0.5,       1.0,
                                 2.0,         5.0,          10.0,  15.0,         30.0,     kMinute,   2 * kMinute,
                                 5 * kMinute, 10 * kMinute, 900.0, 30 * kMinute, kHour,    2 * kHour, 3 * kHour,
                                 6 * kHour,   12 * kHour,   kDay,  2 * kDay,     7 * kDay, 14 * kDay, 30 * kDay};
  for (const double step : kSteps) {
    if (length / step <= kMostSteps) return step;
  }
  return 30 * kDay * std::ceil(length / (30 * kDay) / kMostSteps);
}

}  // namespace

TimeScale::TimeScale(double start, double length, double left, double width)
    : start_(start), length_(length > 0 ? length : 1), left_(left), width_(width), step_(step_for(length_)) {}

double TimeScale::x(double moment) const { return left_ + std::clamp((moment - start_) / length_, 0.0, 1.0) * width_; }

std::vector<TimeScale::Tick> TimeScale::ticks() const {
  std::vector<Tick> ticks;
  const auto count = static_cast<int>(length_ / step_ + 1e-6);
  for (int i = 0; i <= count; ++i) {
    const double seconds = i * step_;
    ticks.push_back({x(start_ + seconds), describe_elapsed(seconds), describe_clock(seconds)});
  }
  return ticks;
}

std::string TimeScale::describe_elapsed(double seconds) const {
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole == 0 && seconds < step_ / 2) return "0";
  if (step_ < 0.1) return fmt::format("{:.2f} s", seconds);
  if (step_ < 1) return fmt::format("{:.1f} s", seconds);
  if (length_ < 2 * kMinute) return fmt::format("{} s", whole);
  if (step_ < kMinute) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  if (length_ < 2 * kHour) return fmt::format("{} min", whole / 60);
  if (step_ < kHour) return fmt::format("{}:{:02} h", whole / 3600, whole % 3600 / 60);
  if (length_ < 2 * kDay) return fmt::format("{} h", whole / 3600);
  if (step_ < kDay) return fmt::format("{} d {} h", whole / 86400, whole % 86400 / 3600);
  return fmt::format("{} d", whole / 86400);
}

std::string TimeScale::describe_clock(double seconds) const {
  if (length_ < kDay) return clock_time(start_ + seconds);
  constexpr std::size_t kYear = 5, kSeconds = 3;  // of "2026-11-16 10:23:56"
  const std::string moment = date_and_time(start_ + seconds);
  return moment.substr(kYear, moment.size() - kYear - kSeconds);
}

}  // namespace team
