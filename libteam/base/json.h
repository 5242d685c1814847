// JSON from untrusted sources.
//
// Parsing is strict and bounded: one value, no duplicate keys, no integer beyond 64 bits, at most 64 levels, and no
// more bytes than the limit. Invalid UTF-8 is replaced and is not an error. The order of keys is kept.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace team {

using Json = nlohmann::ordered_json;

struct JsonLimits {
  std::size_t bytes = std::size_t{4} << 20;
  std::size_t depth = 64;
};

// Throws corrupt as `subject:line:column: reason`.
Json parse_json(std::string_view text, std::string_view subject, const JsonLimits& limits = {});

// One line, no blanks.
std::string dump_line(const Json& value);

// Indented by 2 with a newline at the end, as in files that a person may edit.
std::string dump_indented(const Json& value);

// `subject:line:column` of a key with a wrong value in a parsed document; `subject` if the key is not found.
std::string locate_key(std::string_view text, std::string_view key, std::string_view subject);

}  // namespace team
