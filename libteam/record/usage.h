// Tokens that models have read and written for somebody.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace team {

struct Usage {
  std::int64_t input = 0;  // tokens that were not in the cache
  std::int64_t output = 0;
  std::int64_t cache_read = 0, cache_written = 0;
  Usage& operator+=(const Usage& other);
};

std::int64_t total(const Usage& usage);

// As it stands in the file of a member: one line, input, output, cache_read, cache_written.
std::string to_json_text(const Usage& usage);
// Never fails: what is missing or no count is 0.
Usage parse_usage(std::string_view json_text);

// "950", "12.3k", "4.56M": how many, for people; never more than there are.
std::string describe_count(std::int64_t count);

}  // namespace team
