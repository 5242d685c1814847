// Decides who acts, and with which rights: the same for commands, requests to the server and tools.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "libteam/record/team.h"

namespace team {

// The name of the actor: `as`, else `member` (TEAM_MEMBER: an agent is calling), else user. Throws permission_denied if
// an agent wants to act as somebody else and for `system`, usage for a name that is not allowed.
std::string choose_actor(const std::optional<std::string>& member, const std::optional<std::string>& as);

// The actor of this name. Its role and rights are those in `team`, which is null for a board without a team.
Actor make_actor(std::string name, std::optional<std::string> run, const Team* team);

// The role that events name: `leader` for the lead.
std::optional<std::string> role_name_of(const Actor& actor);

// Throws permission_denied unless the actor is the lead or the user. `what` is what it wants to do.
void require_lead(const Actor& actor, std::string_view what);

}  // namespace team
