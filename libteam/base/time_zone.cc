#include "libteam/base/time_zone.h"

#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace team {

namespace {

constexpr int kMinute = 60, kHour = 3600, kDay = 86'400;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Reads a rule from its beginning.
class RuleReader {
 public:
  explicit RuleReader(std::string_view text) : text_(text) {}

  bool at_end() const { return text_.empty(); }
  bool take(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool sees_offset() const {
    return !text_.empty() && (text_.front() == '+' || text_.front() == '-' || is_digit(text_.front()));
  }

  bool skip_name() {
    if (take('<')) {
      const std::size_t end = text_.find('>');
      if (end == std::string_view::npos) return false;
      text_.remove_prefix(end + 1);
      return true;
    }
    const auto end = std::find_if_not(text_.begin(), text_.end(), is_letter);
    const auto length = static_cast<std::size_t>(end - text_.begin());
    text_.remove_prefix(length);
    return length >= 3;
  }

  std::optional<int> number(int most) {
    int value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0 || value > most) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }

  // [+-]hh[:mm[:ss]] in seconds.
  std::optional<int> time(int most_hours) {
    const int sign = take('-') ? -1 : 1;
    if (sign > 0) take('+');
    const auto hours = number(most_hours);
    if (!hours) return std::nullopt;
    int seconds = *hours * kHour;
    for (const int unit : {kMinute, 1}) {
      if (!take(':')) break;
      const auto part = number(59);
      if (!part) return std::nullopt;
      seconds += *part * unit;
    }
    return sign * seconds;
  }

 private:
  std::string_view text_;
};

bool is_leap(int year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

std::int64_t start_of(int year, int month, int day) {
  tm date{};
  date.tm_year = year - 1900;
  date.tm_mon = month - 1;
  date.tm_mday = day;
  return ::timegm(&date);
}

// The moment in `year` at which a rule such as M3.5.0/2, J60 or 59 applies, by the clock that is valid before it.
std::optional<std::int64_t> change_in(RuleReader& rule, int year) {
  std::int64_t day = 0;
  if (rule.take('M')) {
    const auto month = rule.number(12);
    const int week = rule.take('.') ? rule.number(5).value_or(0) : 0;
    const int weekday = rule.take('.') ? rule.number(6).value_or(-1) : -1;
    if (!month || *month == 0 || week == 0 || weekday < 0) return std::nullopt;
    const std::int64_t first = start_of(year, *month, 1);
    const auto first_weekday = static_cast<int>((first / kDay + 4) % 7);
    day = first + (((weekday - first_weekday + 7) % 7) + 7 * (week - 1)) * kDay;
    const std::int64_t next_month = *month == 12 ? start_of(year + 1, 1, 1) : start_of(year, *month + 1, 1);
    if (day >= next_month) day -= 7 * kDay;
  } else {
    const bool skips_leap_day = rule.take('J');
    const auto number = rule.number(366);
    if (!number) return std::nullopt;
    const bool is_later = skips_leap_day && is_leap(year) && *number >= 60;
    day = start_of(year, 1, 1) + (*number - (skips_leap_day ? 1 : 0) + (is_later ? 1 : 0)) * kDay;
  }
  if (!rule.take('/')) return day + 2 * kHour;
  const auto time = rule.time(167);
  return time ? std::optional(day + *time) : std::nullopt;
}

std::optional<int> offset_by_name(const std::string& name, double moment) {
  const bool is_safe = std::all_of(name.begin(), name.end(), [](char c) {
    return is_letter(c) || is_digit(c) || c == '/' || c == '_' || c == '-' || c == '+';
  });
  if (!is_safe || name.empty() || name.front() == '/' || name.size() > 64) return std::nullopt;
  const char* folder = std::getenv("TZDIR");
  const std::string path = std::string(folder != nullptr ? folder : "/usr/share/zoneinfo") + "/" + name;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  if (!content.starts_with("TZif") || !content.ends_with('\n')) return std::nullopt;
  // The last line is the rule for the present and the future.
  const std::size_t start = content.rfind('\n', content.size() - 2);
  return offset_by_rule(std::string_view(content).substr(start + 1, content.size() - start - 2), moment);
}

}  // namespace

std::optional<int> offset_by_rule(std::string_view rule, double moment) {
  RuleReader reader(rule);
  if (!reader.skip_name()) return std::nullopt;
  const auto standard = reader.time(24);  // west of UTC
  if (!standard) return std::nullopt;
  if (reader.at_end()) return -*standard;
  if (!reader.skip_name()) return std::nullopt;
  const auto summer = reader.sees_offset() ? reader.time(24) : std::optional(*standard - kHour);
  if (!summer || !reader.take(',')) return std::nullopt;
  const auto seconds = static_cast<time_t>(moment);
  tm local{};
  const time_t there = seconds - *standard;
  if (::gmtime_r(&there, &local) == nullptr) return std::nullopt;
  const auto begin = change_in(reader, local.tm_year + 1900);
  const auto end = begin && reader.take(',') ? change_in(reader, local.tm_year + 1900) : std::nullopt;
  if (!end || !reader.at_end()) return std::nullopt;
  const std::int64_t summer_begins = *begin + *standard, summer_ends = *end + *summer;
  const bool is_summer = summer_begins < summer_ends ? seconds >= summer_begins && seconds < summer_ends
                                                     : seconds >= summer_begins || seconds < summer_ends;
  return is_summer ? -*summer : -*standard;
}

std::optional<int> zone_offset(std::string_view zone, double moment) {
  if (zone.empty()) {
    const auto seconds = static_cast<time_t>(moment);
    tm local{};
    if (::localtime_r(&seconds, &local) == nullptr) return std::nullopt;
    return static_cast<int>(local.tm_gmtoff);
  }
  std::string_view rest = zone;
  for (const std::string_view prefix : {"UTC", "GMT", "utc", "gmt"}) {
    if (rest.starts_with(prefix)) rest.remove_prefix(prefix.size());
  }
  if (rest.empty() || zone == "Z" || zone == "z") return 0;
  if (rest.front() != '+' && rest.front() != '-') return offset_by_name(std::string(zone), moment);
  const bool is_packed = rest.size() == 5 && std::all_of(rest.begin() + 1, rest.end(), is_digit);
  const std::string text = is_packed ? fmt::format("{}:{}", rest.substr(0, 3), rest.substr(3)) : std::string(rest);
  RuleReader reader(text);
  const auto offset = reader.time(24);
  return reader.at_end() ? offset : std::nullopt;
}

}  // namespace team
