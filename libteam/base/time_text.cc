#include "libteam/base/time_text.h"

#include <fmt/core.h>

#include <ctime>

#include "libteam/base/text.h"

namespace team {

namespace {

// As strftime(3) writes it.
std::string local_time(double timestamp, const char* format) {
  const auto whole = static_cast<std::time_t>(timestamp);
  std::tm parts{};
  ::localtime_r(&whole, &parts);
  char text[32];
  std::strftime(text, sizeof text, format, &parts);
  return text;
}

}  // namespace

std::string clock_time(double timestamp) { return local_time(timestamp, "%H:%M:%S"); }

std::string date_and_time(double timestamp) { return local_time(timestamp, "%Y-%m-%d %H:%M:%S"); }

std::string iso_time(double timestamp) {
  const double whole = static_cast<double>(static_cast<std::time_t>(timestamp));
  return fmt::format("{}.{:03}", local_time(timestamp, "%Y-%m-%dT%H:%M:%S"),
                     static_cast<int>((timestamp - whole) * 1000));
}

std::string time_and_age(double timestamp, double now) {
  return fmt::format("{} ({} ago)", date_and_time(timestamp), describe_seconds(now - timestamp));
}

}  // namespace team
