// The list of things that need a person: plans, requests, pauses, dead owners, failed tasks, messages to the user.
#pragma once

#include <string>

#include "libteam/store/team_session.h"

namespace team {

// A list of {kind, id, from, about, text, since, actions}, oldest first. An action is a request of teamkit-http(7) that
// the client sends when the person chooses it.
std::string inbox_json(const TeamSession& session);

}  // namespace team
