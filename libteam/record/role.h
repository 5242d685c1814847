// What a role of a team means to one who plays it: an entry of `roles` in `config.json` as a value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/record/team.h"

namespace team {

struct RoleSpec {
  std::string prompt;                  // what the role is about, in front of every piece of work
  std::optional<std::string> command;  // for teammate-run --exec
  std::optional<std::string> model, provider, base_url;
  std::optional<std::vector<std::string>> tools;      // none: all that a teammate has
  std::optional<std::vector<std::string>> clean_env;  // variables that its programs get; none: all
  bool plan = false;                                  // its plans need approval
  std::optional<std::int64_t> retries;
  std::optional<double> time_limit, idle_timeout;  // seconds
  std::vector<std::string> ignored;                // unknown keys (`note`, `limits.note`), which have no effect
};

// True for the name of an environment variable, or the beginning of one followed by "*".
bool is_variable_pattern(std::string_view text);

// Throws corrupt for a definition that says something else than it should, or with a key that resembles a known one;
// `where` is its place, for the message.
RoleSpec parse_role(const Role& role, const std::string& where);
// What the team says of this role. A role that it does not know says nothing where the team has no roles; where it has
// some, throws not_found with the roles that are near: a misspelt one would drop the plan gate and the limits.
RoleSpec spec_of(const Team& team, const std::optional<std::string>& role);
// Throws as spec_of() does for a role that is not known.
void check_role(const Team& team, const std::string& role);
std::vector<std::string> role_names(const Team& team);

}  // namespace team
