// Times as people read them, in the local time zone.
#pragma once

#include <string>

namespace team {

// "14:03:59".
std::string clock_time(double timestamp);

// "2026-11-16 14:03:59".
std::string date_and_time(double timestamp);

// "2026-11-16T14:03:59.123".
std::string iso_time(double timestamp);

// "2026-11-16 14:03:59 (4 min ago)".
std::string time_and_age(double timestamp, double now);

}  // namespace team
