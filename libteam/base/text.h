// A text and its parts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace team {

// The parts between the separators. An empty text has one part, which is empty.
std::vector<std::string> split(std::string_view text, char separator);
// The parts with the separator between them; none follows leading empty parts.
std::string join(const std::vector<std::string>& parts, std::string_view separator);

// True if the text is empty or has only white space.
bool is_blank(std::string_view text);

// The first line that is not empty, without its end.
std::string first_line(std::string_view text);

}  // namespace team
