// The types of events that a log can hold.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace team {

// All of them, by topic. A new type is added here and to team-log(1); a test compares both with the sources.
const std::vector<std::string>& event_types();

// Throws usage, with the types that are near, for a text that is no type of an event.
void check_event_type(std::string_view type);

}  // namespace team
