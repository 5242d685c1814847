// The tokens that models read and wrote for a member, and the cost that programs reported.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace team {

struct Usage {
  std::int64_t input = 0;  // tokens that were not in the cache
  std::int64_t output = 0;
  std::int64_t cache_read = 0, cache_written = 0;
  double usd = 0;  // as a program reported it; 0 for models, whose cost comes from record/prices.h
  Usage& operator+=(const Usage& other);
};

std::int64_t total(const Usage& usage);

// True if nothing was used.
bool is_nothing(const Usage& usage);

// One line with input, output, cache_read and cache_written, for the file of the member; and with usd if it is not 0.
std::string to_json_text(const Usage& usage);
// Never fails: a missing or wrong count is 0.
Usage parse_usage(std::string_view json_text);

// A count for people: "950", "12.3k", "4.56M". Rounds down.
std::string describe_count(std::int64_t count);

}  // namespace team
