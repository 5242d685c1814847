// Numbers that people type.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace team {

// A decimal number without sign, blanks or leading zeros; none for other texts and for numbers that are too large.
std::optional<std::int64_t> parse_integer(std::string_view text);

}  // namespace team
