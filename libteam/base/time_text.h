// Times and durations as people write and read them. Times are in the local time zone.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace team {

// "14:03:59".
std::string clock_time(double timestamp);

// "2026-11-16 14:03:59".
std::string date_and_time(double timestamp);

// "2026-11-16T14:03:59.123".
std::string iso_time(double timestamp);

// "2026-11-16 14:03:59 (4 min ago)".
std::string time_and_age(double timestamp, double now);

// "2", "0.5", "500ms", "3m", "1h"; none if it is not a duration.
std::optional<double> parse_seconds(std::string_view text);

// A duration for people: "3 s", "4 min", "2 h", "5 d".
std::string describe_seconds(double seconds);

}  // namespace team
