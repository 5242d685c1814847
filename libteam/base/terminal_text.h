// Text that a terminal shows as it is meant, whoever wrote it.
#pragma once

#include <string>
#include <string_view>

namespace team {

// Replaces the characters that control a terminal or turn the direction of a text (U+007F to U+009F, line separators,
// bidirectional marks, overrides and isolates) by their JSON escapes, such as \u009b. Characters below U+0020 stay,
// since our own colours consist of them. JSON that is changed so has the same value.
std::string escape_for_terminal(std::string_view text);

}  // namespace team
