// The types of events that a log can hold.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace team {

// All types, by topic. Add a new type here and to team-log(1); a test compares both with the sources.
const std::vector<std::string>& event_types();

// Throws usage, with similar types, if `type` is not an event type.
void check_event_type(std::string_view type);

}  // namespace team
