// Making a team, for the commands that do.
#pragma once

#include <string>

#include "libteam/cli/context.h"
#include "libteam/record/team.h"

namespace team {

// In the root that there is, or here. From then on `context` is about it. Throws conflict if the name is taken.
void make_team(Context& context, Team team);

// The team that is named or the only one; where there is none, as one called `fallback` would be, which is not made
// yet.
Team find_or_plan_team(Context& context, const std::string& fallback);

}  // namespace team
