// Making a team, for the commands that do.
#pragma once

#include <string>

#include "libteam/cli/context.h"
#include "libteam/record/team.h"

namespace team {

// Throws permission_denied for an agent (TEAM_MEMBER), unless its team lets it make others (teammates.createTeams).
void check_maker(Context& context);

// In the root that there is, or here, after check_maker(), with a mark of trust. From then on `context` is about it.
// Throws conflict if the name is taken. If this user has no place for marks, a warning says so.
void make_team(Context& context, Team team);

// Removes the mark of a team that is gone. Without success the mark stays: it fits no other folder.
void forget_if_possible(Context& context, const std::string& team);

// The team that is named or the only one; where there is none, as one called `fallback` would be, which is not made
// yet.
Team find_or_plan_team(Context& context, const std::string& fallback);

}  // namespace team
