// Which model somebody talks to, and how far: what the user, a role and the environment say of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libteam/record/role.h"

namespace team {

struct ModelChoice {
  std::optional<std::string> model, provider, base_url;
  std::optional<std::string> record, replay;  // files
  std::optional<std::int64_t> context;        // tokens
  std::optional<std::int64_t> most_turns;     // of one piece of work; of a lead in all
  std::optional<std::int64_t> budget;         // tokens; of a lead those of the whole team
  std::vector<std::string> allowed;           // folders beside the root
};

// What the choice leaves open is taken from the role, then from TEAM_MODEL, TEAM_PROVIDER and TEAM_BASE_URL, then, for
// the address, from ANTHROPIC_BASE_URL or OPENAI_BASE_URL. Throws usage for a provider that there is not.
void complete(ModelChoice& choice, const RoleSpec& role);
// Whether there is a model to talk to.
bool is_chosen(const ModelChoice& choice);

// anthropic or openai: what is not said is guessed from the name of the model.
std::string provider_of(const ModelChoice& choice);
// The variable that its key stands in.
std::string key_variable(const ModelChoice& choice);
// Throws usage if it needs a key, and `key` is none.
void check_key(const ModelChoice& choice, const std::string& key);

// As arguments of teammate-run: what another one needs to talk to the same model.
std::vector<std::string> arguments_of(const ModelChoice& choice);

}  // namespace team
