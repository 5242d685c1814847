#include "libteam/base/time_text.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <ctime>

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

std::optional<double> parse_seconds(std::string_view text) {
  if (text.empty() || !((text[0] >= '0' && text[0] <= '9') || text[0] == '.')) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc()) return std::nullopt;
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit == "ms") value /= 1000;
  else if (unit == "m") value *= 60;
  else if (unit == "h") value *= 3600;
  else if (!unit.empty() && unit != "s") return std::nullopt;
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string describe_seconds(double seconds) {
  if (seconds < 0) seconds = 0;
  if (seconds < 120) return fmt::format("{:.0f} s", std::floor(seconds));
  if (seconds < 7200) return fmt::format("{:.0f} min", std::floor(seconds / 60));
  if (seconds < 172800) return fmt::format("{:.0f} h", std::floor(seconds / 3600));
  return fmt::format("{:.0f} d", std::floor(seconds / 86400));
}

}  // namespace team
