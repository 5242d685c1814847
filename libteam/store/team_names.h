// The rules of the names of teams, the same in every kind of store.
#pragma once

#include <string>
#include <vector>

#include "libteam/record/team.h"

namespace team {

// Throws not_found with similar names, or with all names.
[[noreturn]] void fail_unknown_team(const std::string& name, const std::vector<std::string>& known);
// Throws usage if the team or its lead has a name that is not allowed.
void check_team_names(const Team& team);
// Throws conflict if the name is taken, also in another case.
void check_team_is_new(const std::string& name, const std::vector<std::string>& known);

}  // namespace team
