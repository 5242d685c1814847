// JSON as it may come from a person, a script or an enemy.
//
// Parsing is strict and bounded: one value, no duplicate keys, no integer beyond 64 bits, no more than 64 levels, no
// more bytes than the limit. Invalid UTF-8 is replaced, never fatal. The order of keys survives.
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

// Indented by 2 with a newline at the end, as the files are that a person may edit.
std::string dump_indented(const Json& value);

// `subject:line:column` of a key in a document that parsed but says something wrong there; `subject` if it is not
// found.
std::string locate_key(std::string_view text, std::string_view key, std::string_view subject);

}  // namespace team
