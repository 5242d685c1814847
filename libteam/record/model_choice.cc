#include "libteam/record/model_choice.h"

#include <algorithm>

#include "libteam/base/environment_variable.h"
#include "libteam/base/error.h"
#include "libteam/base/number.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"

namespace team {

std::string provider_of(const ModelChoice& choice) {
  if (choice.provider) return *choice.provider;
  // Most self-hosted servers speak the protocol of OpenAI.
  return choice.model.value_or("").starts_with("claude") ? "anthropic" : "openai";
}

std::string quota_of(const ModelChoice& choice) {
  const std::string provider = provider_of(choice);
  if (!choice.base_url) return provider;
  std::string_view host = *choice.base_url;
  if (const std::size_t scheme = host.find("://"); scheme != std::string_view::npos) host.remove_prefix(scheme + 3);
  return fmt::format("{}@{}", provider, host.substr(0, host.find('/')));
}

std::string key_variable(const ModelChoice& choice) {
  return provider_of(choice) == "openai" ? "OPENAI_API_KEY" : "ANTHROPIC_API_KEY";
}

void check_key(const ModelChoice& choice, const std::string& key) {
  if (!key.empty() || choice.base_url || choice.replay) return;
  fail(Code::usage, "{} is not set; it is the key for --provider {}", key_variable(choice), provider_of(choice));
}

namespace {

void check_one_of(std::string_view option, const std::optional<std::string>& value, std::string_view choices) {
  if (!value) return;
  const auto known = split(choices, '|');
  if (std::find(known.begin(), known.end(), *value) != known.end()) return;
  fail(Code::usage, "{} takes {}, not '{}'", option, join(known, ", "), one_line(*value));
}

void check_tuning(const ModelChoice& choice) {
  const bool is_anthropic = provider_of(choice) == "anthropic";
  check_one_of("--api", choice.api, "chat|responses");
  if (choice.api && is_anthropic) fail(Code::usage, "--api is for the provider openai");
  check_one_of("--effort", choice.effort, "none|minimal|low|medium|high|xhigh|max");
  if (choice.thinking && !is_anthropic)
    fail(Code::usage, "--thinking is for the provider anthropic; openai has --effort");
  const auto tokens = choice.thinking ? parse_integer(*choice.thinking) : std::nullopt;
  constexpr std::int64_t kLeast = 1024;
  if (tokens && *tokens < kLeast) fail(Code::usage, "--thinking takes {} tokens or more, not {}", kLeast, *tokens);
  if (!tokens) check_one_of("--thinking", choice.thinking, "off|adaptive");
  if (choice.max_tokens && *choice.max_tokens < 1) fail(Code::usage, "--max-tokens takes a number from 1 on");
}

}  // namespace

void complete(ModelChoice& choice, const RoleSpec& role) {
  const auto fill = [](std::optional<std::string>& value, const std::optional<std::string>& of_role,
                       const char* variable) {
    if (!value) value = of_role;
    if (!value) value = environment_variable(variable);
  };
  fill(choice.model, role.model, "TEAM_MODEL");
  fill(choice.provider, role.provider, "TEAM_PROVIDER");
  fill(choice.base_url, role.base_url, "TEAM_BASE_URL");
  if (!choice.api) choice.api = role.api;
  if (!choice.effort) choice.effort = role.effort;
  if (!choice.thinking) choice.thinking = role.thinking;
  if (!choice.max_tokens) choice.max_tokens = role.max_tokens;
  if (choice.provider && *choice.provider != "anthropic" && *choice.provider != "openai") {
    fail(Code::usage, "no provider '{}': there are anthropic and openai", one_line(*choice.provider));
  }
  check_tuning(choice);
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
  add("--api", choice.api);
  add("--effort", choice.effort);
  add("--thinking", choice.thinking);
  add("--max-tokens", choice.max_tokens);
  add("--context", choice.context);
  return arguments;
}

}  // namespace team
