// Readers for values in the JSON of services, which may contain anything.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libteam/base/json.h"

namespace team {

// ASCII letters only.
std::string lower(std::string_view text);
// A count of tokens; 0 for any other value.
std::int64_t count_of(const Json& object, const char* key);
// A text; empty for any other value.
std::string text_of(const Json& object, const char* key);

}  // namespace team
