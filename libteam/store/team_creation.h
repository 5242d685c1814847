// Makes a team, with its lead and the first event of its log.
#pragma once

#include <functional>

#include "libteam/base/error.h"
#include "libteam/record/team.h"
#include "libteam/store/engine.h"

namespace team {

// Makes the team; its lead becomes its first member. `creator` is in the log. Throws conflict if the name is taken,
// usage if it is not allowed, unknown if the team was made but not recorded. `untrusted` is called with the reason if
// the mark of trust could not be made.
Team create_team(const Engine& engine, Team team, const Actor& creator,
                 const std::function<void(const Error&)>& untrusted);

}  // namespace team
