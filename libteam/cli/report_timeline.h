// The timeline of a report: above, how many tasks waited and how many were worked on; below, a row for each member with
// its tasks as bars and its states as a strip beneath them.
//
// Height grows with the members and with what one held at once. What is too short to be seen apart is drawn as one; no
// label leaves its bar. The same history gives the same bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libteam/record/history.h"

namespace team {

// Those of whom there is something to draw.
std::vector<const MemberHistory*> seen_members(const History& history);

// An SVG element with `style` in it.
std::string draw_timeline(const History& history, const std::vector<const MemberHistory*>& members,
                          std::string_view style);

}  // namespace team
