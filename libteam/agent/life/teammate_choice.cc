#include "libteam/agent/life/teammate_choice.h"

#include <filesystem>
#include <vector>

#include "libteam/base/environment_variable.h"
#include "libteam/base/error.h"
#include "libteam/base/name.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/record/quota.h"
#include "libteam/record/settings.h"
#include "libteam/system/keys.h"

namespace team {

namespace {

void take_recording(TeammateChoice& choice, const RoleSpec& role) {
  choice.recording = find_recording(choice.model, NoSuchPath::is_file);
  if (choice.recording.record) choice.model.record.reset();
  if (choice.recording.replay) choice.model.replay.reset();
  const bool runs_command = choice.exec || choice.acp || ((role.command || role.acp) && !is_chosen(choice.model));
  if (!runs_command) use_recording(choice.model, choice.recording, choice.name);
}

}  // namespace

void complete(TeammateChoice& choice, const RoleSpec& role) {
  if (!is_name(choice.name)) fail(Code::usage, "'{}' is not a name", one_line(choice.name));
  take_recording(choice, role);
  const bool asks_model = is_chosen(choice.model);
  if (!choice.exec && !choice.acp && !asks_model) {
    choice.exec = role.command;
    choice.acp = role.acp;
  }
  const auto& command = choice.acp ? choice.acp : choice.exec;
  if (!command) complete(choice.model, role);
  if ((!command && !is_chosen(choice.model)) || (command && command->empty())) {
    fail(Code::usage, "what does {} run? --exec COMMAND, --acp COMMAND, --model MODEL, or a role that says it",
         choice.name);
  }
  if (choice.permissions && !choice.acp) fail(Code::usage, "--permissions goes with --acp");
  TeammateOptions& teammate = choice.options;
  if (!command) teammate.model = choice.model.model.value_or("replay");
  teammate.retries = choice.retries.value_or(role.retries.value_or(teammate.retries));
  if (!choice.time_limit) choice.time_limit = role.time_limit;
  if (!teammate.idle_timeout) teammate.idle_timeout = role.idle_timeout;
  teammate.budget = role.budget;
  if (choice.model.budget) teammate.budget = budget_from(choice.model.budget);
  if (!choice.model.replay) {
    const std::string own = command ? program_of(*command) : quota_of(choice.model);
    teammate.quota = role.quota.value_or(own);
  }
  choice.limit_texts = role.limit_texts;
  if (!choice.model.still_turns) choice.model.still_turns = role.turns;
  teammate.plan = teammate.plan || role.plan;
  teammate.auto_claim = !choice.no_auto_claim;
  teammate.role_prompt = role.prompt;
}

Variables environment_for(const TeammateChoice& choice, const RoleSpec& role) {
  auto names = role.clean_env;
  if (choice.clean_env) names = split(*choice.clean_env, ',');
  if (!names) return {};
  std::erase(*names, "");
  for (const std::string& name : *names) {
    if (is_variable_pattern(name)) continue;
    fail(Code::usage, "--clean-env: '{}' is not the name of a variable", one_line(name));
  }
  return clean_environment(std::move(*names));
}

Permissions permissions_for(const TeammateChoice& choice, const RoleSpec& role) {
  if (!choice.permissions) return role.permissions.value_or(Permissions());
  const auto given = Permissions::parse(*choice.permissions);
  if (!given) fail(Code::usage, "--permissions: {}, not '{}'", kPermissionsExpected, one_line(*choice.permissions));
  return *given;
}

std::vector<std::string> limit_texts_for(const TeammateChoice& choice, const Team& team) {
  auto texts = parse_texts(setting(team, "limits.texts"));
  texts.insert(texts.end(), choice.limit_texts.begin(), choice.limit_texts.end());
  return texts;
}

Start start_of(const TeammateChoice& given, const std::string& root) {
  Start start;
  start.directory = std::filesystem::current_path();
  if (std::filesystem::equivalent(start.directory, root)) start.directory.clear();  // the root may have moved by then
  start.mode = environment_variable("TEAM_START_MODE").value_or("foreground");
  const auto add = [&](const char* option, const auto& value) {
    if (value) start.arguments.insert(start.arguments.end(), {option, fmt::format("{}", *value)});
  };
  add("--role", given.options.role);
  add("--exec", given.exec);
  add("--acp", given.acp);
  add("--permissions", given.permissions);
  add("--clean-env", given.clean_env);
  add("--retries", given.retries);
  add("--time-limit", given.time_limit);
  add("--idle-timeout", given.options.idle_timeout);
  add("--record", given.model.record);
  add("--replay", given.model.replay);
  add("--max-turns", given.model.most_turns);
  add("--budget", given.model.budget);
  const auto model = arguments_of(given.model);
  start.arguments.insert(start.arguments.end(), model.begin(), model.end());
  for (const std::string& folder : given.model.allowed)
    start.arguments.insert(start.arguments.end(), {"--allow", folder});
  if (given.options.plan) start.arguments.emplace_back("--plan");
  if (given.options.until_done) start.arguments.emplace_back("--until-done");
  if (given.tree) start.arguments.emplace_back("--tree");
  if (given.no_auto_claim) start.arguments.emplace_back("--no-auto-claim");
  return start;
}

}  // namespace team
