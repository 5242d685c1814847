// The model of a member and its limits, as chosen by the user, the role and the environment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libteam/record/role.h"

namespace team {

struct ModelChoice {
  std::optional<std::string> model, provider, base_url;
  std::optional<std::string> record, replay;    // files
  std::optional<std::string> api;               // of openai: chat or responses
  std::optional<std::string> effort, thinking;  // see ModelTuning
  std::optional<std::int64_t> max_tokens;       // of one answer
  std::optional<std::int64_t> context;          // tokens
  std::optional<std::int64_t> most_turns;       // per piece of work; for a lead, in total
  std::optional<std::int64_t> still_turns;      // without a change of board, mail or files
  std::optional<std::string> budget;            // see parse_budget(); for a lead, that of the whole team
  std::vector<std::string> allowed;             // folders beside the root
};

// Fills in the fields that are not set: from the role, then from TEAM_MODEL, TEAM_PROVIDER and TEAM_BASE_URL. The
// address comes last from ANTHROPIC_BASE_URL or OPENAI_BASE_URL. Throws usage for an unknown provider, API, effort or
// way of thinking.
void complete(ModelChoice& choice, const RoleSpec& role);
// True if a model or a recording is chosen.
bool is_chosen(const ModelChoice& choice);

// anthropic or openai. If the provider is not set, it is guessed from the name of the model.
std::string provider_of(const ModelChoice& choice);
// The quota of members that use this model, unless their role has another: the provider, and its address if that is
// given.
std::string quota_of(const ModelChoice& choice);
// The environment variable that holds the API key.
std::string key_variable(const ModelChoice& choice);
// Throws usage if the provider needs a key and `key` is empty.
void check_key(const ModelChoice& choice, const std::string& key);

// The arguments of teammate-run with which another member uses the same model.
std::vector<std::string> arguments_of(const ModelChoice& choice);

}  // namespace team
