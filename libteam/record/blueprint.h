// A team in one file: what it is called, its roles and settings, how many of each role, its tasks.
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
  std::vector<std::pair<std::string, std::int64_t>> teammates;  // role and how many; one of each if nothing is said
  std::vector<Draft> tasks;
  std::vector<std::string> ignored;  // unknown keys, which have no effect: `note`, `roles.coder.note`
};

// Throws usage for what is wrong in the file, with `file` in front: also a key that resembles a known one, a role
// without a command or a model that somebody is to play, a task for a role that nobody has.
Blueprint parse_blueprint(std::string_view text, std::string_view file);

}  // namespace team
