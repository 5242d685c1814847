// Makes any text safe to show on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace team {

// Replaces characters that control a terminal or the direction of text by their JSON escapes, such as \u009b. These are
// U+007F to U+009F, line separators, bidirectional marks, overrides and isolates. Characters below U+0020 stay, since
// our own colours need them. Escaped JSON keeps its value.
std::string escape_for_terminal(std::string_view text);

}  // namespace team
