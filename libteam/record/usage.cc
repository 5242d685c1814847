#include "libteam/record/usage.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "libteam/record/json_fields.h"

namespace team {

namespace {

// A larger count in a file is wrong and read as 0, so that no sum overflows.
constexpr std::int64_t kMost = 1'000'000'000'000'000;
constexpr double kMostDollars = 1e9;

std::int64_t count_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer() || *found < 0 || *found > kMost) return 0;
  return found->get<std::int64_t>();
}

double dollars_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return 0;
  const auto dollars = found->get<double>();
  return std::isfinite(dollars) && dollars > 0 && dollars < kMostDollars ? dollars : 0;
}

}  // namespace

Usage& Usage::operator+=(const Usage& other) {
  input += other.input;
  output += other.output;
  cache_read += other.cache_read;
  cache_written += other.cache_written;
  usd += other.usd;
  return *this;
}

std::int64_t total(const Usage& usage) { return usage.input + usage.output + usage.cache_read + usage.cache_written; }

bool is_nothing(const Usage& usage) { return total(usage) == 0 && usage.usd <= 0; }

std::string to_json_text(const Usage& usage) {
  Json json = {{"input", usage.input},
               {"output", usage.output},
               {"cache_read", usage.cache_read},
               {"cache_written", usage.cache_written}};
  if (usage.usd > 0) json["usd"] = usage.usd;
  return dump_line(json);
}

Usage parse_usage(std::string_view json_text) {
  Json json;
  try {
    json = parse_json(json_text, "usage");
  } catch (const Error& error) {
    if (error.code() != Code::corrupt) throw;
  }
  if (!json.is_object()) return {};
  return {count_in(json, "input"), count_in(json, "output"), count_in(json, "cache_read"),
          count_in(json, "cache_written"), dollars_in(json, "usd")};
}

std::string describe_count(std::int64_t count) {
  std::int64_t unit = 1000;
  std::string_view name = "k";
  if (count < unit) return fmt::format("{}", count);
  for (const std::string_view larger : {"M", "G"}) {
    if (count / 1000 < unit) break;
    unit *= 1000;
    name = larger;
  }
  const std::int64_t whole = count / unit;
  const std::int64_t thousandths = count % unit / (unit / 1000);
  if (whole >= 100) return fmt::format("{}{}", whole, name);
  if (whole >= 10) return fmt::format("{}.{}{}", whole, thousandths / 100, name);
  return fmt::format("{}.{:02}{}", whole, thousandths / 10, name);
}

}  // namespace team
