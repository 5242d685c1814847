// Recent messages between teammates, for a member that did not get them.
#pragma once

#include <string>
#include <vector>

#include "libteam/record/team.h"
#include "libteam/store/event_log.h"

namespace team {

// One line for each recent message that neither `reader` nor the user sent, newest last, within the limits of the team
// (settings digest.*); empty if the team has no digest.
std::vector<std::string> digest_for(const EventLog& events, const Team& team, const std::string& reader);

}  // namespace team
