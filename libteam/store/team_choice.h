// Chooses the team of a caller that names none.
#pragma once

#include <optional>
#include <string>

#include "libteam/store/engine.h"

namespace team {

struct OnlyTeam {
  std::optional<std::string> name;  // none: the store has no team
  std::string rule;                 // why this one, for people
};

// Throws not_found: the store has no team.
[[noreturn]] void fail_without_team(const Engine& engine);

// The only team of the store; of several, the only one that no agent made. Throws usage if that does not decide.
OnlyTeam find_only_team(const Engine& engine);

}  // namespace team
