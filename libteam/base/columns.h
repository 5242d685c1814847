// The width of a text on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace team {

// Columns on a terminal: 2 for CJK and emoji, 0 for combining marks.
std::size_t columns(std::string_view text);

// At most `most` columns; a shortened text ends in "…", which counts.
std::string cut_columns(std::string_view text, std::size_t most);

}  // namespace team
