// The definition of a role: an entry of `roles` in `config.json` as a value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/record/budget.h"
#include "libteam/record/permissions.h"
#include "libteam/record/team.h"

namespace team {

struct RoleSpec {
  std::string prompt;                      // precedes the prompt of every piece of work
  std::optional<std::string> command;      // for teammate-run --exec
  std::optional<std::string> acp;          // for teammate-run --acp
  std::optional<Permissions> permissions;  // of an agent that runs by `acp`; none: it may do all
  std::optional<std::string> model, provider, base_url, api;
  std::optional<std::string> effort, thinking;
  std::optional<std::int64_t> max_tokens;
  std::optional<std::vector<std::string>> tools;      // none: all tools of a teammate
  std::optional<std::vector<std::string>> clean_env;  // the variables that its programs get; none: all
  bool plan = false;                                  // its plans need approval
  bool tree = false;                                  // they work in trees of the repository
  std::optional<std::int64_t> retries;
  std::optional<double> time_limit, idle_timeout;  // seconds
  Budget budget;                                   // limits.tokens and limits.usd, of each member of the role
  std::optional<std::int64_t> turns;               // of a model without a change of board, mail or files
  std::optional<std::string> quota;                // members with the same quota pause together
  std::vector<std::string> limit_texts;            // further texts of usage limits
  std::vector<std::string> ignored;                // unknown keys (`note`, `limits.note`), which have no effect
};

// True for the name of an environment variable, or the beginning of one followed by "*".
bool is_variable_pattern(std::string_view text);

// Throws corrupt for a wrong definition, or for a key that resembles a known one. `where` is the place of the
// definition, for the message.
RoleSpec parse_role(const Role& role, const std::string& where);
// The definition of this role in the team. If the team defines no roles, any role has an empty definition. Otherwise
// throws not_found for an unknown role, with similar ones: a misspelt role would drop the plan gate and the limits.
RoleSpec spec_of(const Team& team, const std::optional<std::string>& role);
// Throws for an unknown role, as spec_of() does.
void check_role(const Team& team, const std::string& role);
std::vector<std::string> role_names(const Team& team);

}  // namespace team
