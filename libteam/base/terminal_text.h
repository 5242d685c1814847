// Makes any text safe to show on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace team {

// Replaces characters that control a terminal or the direction of text by their JSON escapes, such as \u009b. These are
// U+007F to U+009F, line separators, bidirectional marks, overrides and isolates. Characters below U+0020 stay, since
// our own colours need them. Escaped JSON keeps its value.
std::string escape_for_terminal(std::string_view text);

// For a field of a line: control characters, tabs and newlines become blanks, so that no text can forge a column or
// control a terminal.
std::string one_line(std::string_view text);

// For a terminal: removes all control characters except newlines and tabs, so that no text can control it.
std::string printable(std::string_view text);

}  // namespace team
