// Makes and deletes teams.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "libteam/base/error.h"
#include "libteam/record/team.h"
#include "libteam/store/engine.h"

namespace team {

// Makes the team; its lead becomes its first member. `creator` is in the log. Throws conflict if the name is taken,
// usage if it is not allowed, unknown if the team was made but not recorded. `untrusted` is called with the reason if
// the mark of trust could not be made.
Team create_team(const Engine& engine, Team team, const Actor& creator,
                 const std::function<void(const Error&)>& untrusted);

// Throws permission_denied if this agent may not make teams; null is a person. An agent works for a team: `own_team`,
// or the only team of the store. That team can allow it (teammates.createTeams).
void check_maker(const Engine& engine, const std::optional<std::string>& agent,
                 const std::optional<std::string>& own_team);

// Deletes a team, and the mark of this user's trust in it. Throws conflict while a member runs.
void delete_team(const Engine& engine, const std::string& name);

}  // namespace team
