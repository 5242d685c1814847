// The timeline of a report. The top shows the number of waiting tasks and of tasks in progress. Below, each member has
// a row with its tasks as bars and its states as a strip.
//
// The height grows with the number of members and of simultaneous tasks. Intervals that are too short to be seen are
// merged. No label is wider than its bar. The same history gives the same bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libteam/record/history.h"

namespace team {

// The members that have something to draw.
std::vector<const MemberHistory*> seen_members(const History& history);

// An SVG element with `style` in it.
std::string draw_timeline(const History& history, const std::vector<const MemberHistory*>& members,
                          std::string_view style);

}  // namespace team
