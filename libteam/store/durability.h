// How durable the changes of a team are.
#pragma once

#include "libteam/record/team.h"
#include "libteam/system/file.h"

namespace team {

// TEAM_DURABILITY, else the setting `durability`; `power` for a board without a team (null). Throws usage for another
// word in TEAM_DURABILITY.
Durability durability_of(const Team* team);

}  // namespace team
