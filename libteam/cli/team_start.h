// Makes a team, for the commands that do.
#pragma once

#include <string>
#include <string_view>

#include "libteam/cli/context.h"
#include "libteam/record/team.h"

namespace team {

// Throws permission_denied for an agent (TEAM_MEMBER), unless its team lets it make others (teammates.createTeams).
void check_maker(Context& context);

// Throws permission_denied unless the actor is the user or the lead of this team, which need not be made yet. `what`
// completes the sentence "only the lead or the user may".
void check_starter(Context& context, const Team& team, std::string_view what);

// Makes the team in the existing root, or here, after check_maker(), with a mark of trust. `context` then uses this
// team. Throws conflict if the name is taken. Warns if this user has no place for marks.
void make_team(Context& context, Team team);

// The named team, or the only one. If there is none: a team called `fallback`, which is not made yet.
Team find_or_plan_team(Context& context, const std::string& fallback);

}  // namespace team
