#include "libteam/record/model_choice.h"

#include "libteam/base/environment_variable.h"
#include "libteam/base/error.h"
#include "libteam/base/terminal_text.h"

namespace team {

std::string provider_of(const ModelChoice& choice) {
  if (choice.provider) return *choice.provider;
  // Most self-hosted servers speak the protocol of OpenAI.
  return choice.model.value_or("").starts_with("claude") ? "anthropic" : "openai";
}

std::string key_variable(const ModelChoice& choice) {
  return provider_of(choice) == "openai" ? "OPENAI_API_KEY" : "ANTHROPIC_API_KEY";
}

void check_key(const ModelChoice& choice, const std::string& key) {
  if (!key.empty() || choice.base_url || choice.replay) return;
  fail(Code::usage, "{} is not set; it is the key for --provider {}", key_variable(choice), provider_of(choice));
}

void complete(ModelChoice& choice, const RoleSpec& role) {
  const auto fill = [](std::optional<std::string>& value, const std::optional<std::string>& of_role,
                       const char* variable) {
    if (!value) value = of_role;
    if (!value) value = environment_variable(variable);
  };
  fill(choice.model, role.model, "TEAM_MODEL");
  fill(choice.provider, role.provider, "TEAM_PROVIDER");
  fill(choice.base_url, role.base_url, "TEAM_BASE_URL");
  if (choice.provider && *choice.provider != "anthropic" && *choice.provider != "openai") {
    fail(Code::usage, "no provider '{}': there are anthropic and openai", one_line(*choice.provider));
  }
  const bool is_address =
      !choice.base_url || choice.base_url->starts_with("http://") || choice.base_url->starts_with("https://");
  if (!is_address) fail(Code::usage, "'{}' is not an http or https address", one_line(*choice.base_url));
  if (!choice.base_url) {
    choice.base_url =
        environment_variable(provider_of(choice) == "anthropic" ? "ANTHROPIC_BASE_URL" : "OPENAI_BASE_URL");
  }
}

bool is_chosen(const ModelChoice& choice) { return choice.model || choice.replay; }

std::vector<std::string> arguments_of(const ModelChoice& choice) {
  std::vector<std::string> arguments;
  const auto add = [&](const char* option, const auto& value) {
    if (value) arguments.insert(arguments.end(), {option, fmt::format("{}", *value)});
  };
  add("--model", choice.model);
  add("--provider", choice.provider);
  add("--base-url", choice.base_url);
  add("--context", choice.context);
  return arguments;
}

}  // namespace team
