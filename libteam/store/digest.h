// What teammates said lately, for somebody who was not told.
#pragma once

#include <string>
#include <vector>

#include "libteam/record/team.h"
#include "libteam/store/event_log.h"

namespace team {

// What others than `reader` and the user said to anybody, a line each, newest last, within the team's limits (settings
// digest.*); empty if the team wants none.
std::vector<std::string> digest_for(const EventLog& events, const Team& team, const std::string& reader);

}  // namespace team
