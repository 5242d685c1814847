// A team described in one file: its name, roles, settings, teammates and tasks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libteam/record/task.h"
#include "libteam/record/team.h"

namespace team {

struct Blueprint {
  Team team;
  std::vector<std::pair<std::string, std::int64_t>> teammates;  // role and count; one of each role by default
  std::vector<Draft> tasks;
  std::vector<std::string> ignored;  // unknown keys, which have no effect: `note`, `roles.coder.note`
};

// Throws usage, with `file` in front, for an error in the file. Errors are also: a key that resembles a known one, a
// teammate whose role has neither command nor model, and a task for a role that no teammate has.
Blueprint parse_blueprint(std::string_view text, std::string_view file);

}  // namespace team
