// The agent of a teammate, from its options and its role.
#pragma once

#include <functional>
#include <optional>

#include "libteam/agent/acp/acp_driver.h"
#include "libteam/agent/life/teammate_choice.h"
#include "libteam/record/role.h"
#include "libteam/store/team_session.h"

namespace team {

// `choice` is complete and has an agent. `environment` are the changes to the environment of its programs. The agent
// gets the tools of the team (team-mcp), if they are installed. Throws usage for bad permissions.
AcpRules acp_rules_for(const TeammateChoice& choice, const RoleSpec& role, const TeamSession& session,
                       Variables environment);

// Gives the session that the member had last. `session` outlives the function.
std::function<std::optional<AgentSession>()> last_session_of(const TeamSession& session);

}  // namespace team
