#include "libteam/record/role.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libteam/base/name.h"
#include "libteam/base/spelling.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/time_text.h"
#include "libteam/record/json_fields.h"
#include "libteam/record/quota.h"

namespace team {

namespace {

// Seconds, as a number or as people write them: 90, "90s", "5m".
std::optional<double> duration(Fields& fields, const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found != object.end() && found->is_string()) {
    const auto seconds = parse_seconds(fields.text(key).value());
    if (!seconds) fields.refuse(key, "seconds (2, 0.5, 500ms, 3m, 1h)");
    return seconds;
  }
  const auto seconds = fields.number(key);
  if (seconds && *seconds < 0) fields.refuse(key, "seconds (2, 0.5, 500ms, 3m, 1h)");
  return seconds;
}

std::optional<Permissions> permissions_of(Fields& fields, const Json& object) {
  const auto found = object.find("permissions");
  if (found == object.end() || found->is_null()) return std::nullopt;
  std::vector<std::pair<std::string, std::string>> rules;
  if (const Json* kinds = found->is_object() ? fields.object("permissions") : nullptr) {
    for (const auto& item : kinds->items()) {
      rules.emplace_back(item.key(), item.value().is_string() ? item.value().get<std::string>() : "");
    }
  } else {
    rules.emplace_back("all", fields.text("permissions").value_or(""));
  }
  const auto made = Permissions::from(rules);
  if (!made) fields.refuse("permissions", kPermissionsExpected);
  return made;
}

void add_keys(std::vector<std::string>& to, const Json& object, std::string_view prefix) {
  for (const auto& item : object.items()) to.push_back(fmt::format("{}{}", prefix, item.key()));
}

}  // namespace

bool is_variable_pattern(std::string_view text) {
  if (text.ends_with('*')) text.remove_suffix(1);
  const auto is_letter = [](char c) { return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
  return !text.empty() && is_letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

RoleSpec parse_role(const Role& role, const std::string& where) {
  const std::string place = where.empty() ? "role " + role.name : fmt::format("{}: role {}", where, role.name);
  Fields fields(role.definition, place);
  RoleSpec spec;
  spec.prompt = fields.text("prompt").value_or("");
  spec.command = fields.text("command");
  if (spec.command && spec.command->empty()) fields.refuse("command", "a command");
  spec.acp = fields.text("acp");
  if (spec.acp && spec.acp->empty()) fields.refuse("acp", "a command");
  if (spec.acp && spec.command) fields.refuse("acp", "no 'command' beside it");
  const Json definition = parse_json(role.definition, place);
  spec.permissions = permissions_of(fields, definition);
  spec.model = fields.text("model");
  spec.provider = fields.text("provider");
  spec.base_url = fields.text("base_url");
  spec.api = fields.text("api");
  spec.effort = fields.text("effort");
  spec.thinking = fields.text("thinking");
  spec.max_tokens = fields.integer("max_tokens", 1, INT64_MAX);
  spec.plan = fields.boolean("plan").value_or(false);
  spec.tree = fields.boolean("tree").value_or(false);
  spec.tools = fields.texts("tools", "an array of names");
  spec.clean_env = fields.texts("clean_env", "an array of names");
  if (spec.clean_env && !std::all_of(spec.clean_env->begin(), spec.clean_env->end(), is_variable_pattern)) {
    fields.refuse("clean_env", "an array of names of variables");
  }
  spec.quota = fields.text("quota");
  if (spec.quota && (spec.quota->empty() || is_budget(*spec.quota))) fields.refuse("quota", "the name of a quota");
  spec.limit_texts = fields.texts("limit_texts", "an array of texts").value_or(spec.limit_texts);
  if (const Json* limits = fields.object("limits")) {
    Fields inner(*limits, role.definition, place);
    spec.retries = inner.integer("retries", 0, 1000);
    spec.time_limit = duration(inner, *limits, "time");
    spec.idle_timeout = duration(inner, *limits, "idle");
    spec.budget.tokens = inner.integer("tokens", 1, INT64_MAX);
    spec.budget.usd = inner.number("usd");
    if (spec.budget.usd && *spec.budget.usd <= 0) inner.refuse("usd", "an amount of US dollars");
    spec.turns = inner.integer("turns", 1, INT64_MAX);
    inner.refuse_misspelt({"retries", "time", "idle", "tokens", "usd", "turns"});
    add_keys(spec.ignored, inner.rest(), "limits.");
  }
  fields.refuse_misspelt({"prompt",     "command",        "model",       "provider",    "base_url",
                          "api",        "effort",         "thinking",    "max_tokens",  "plan",
                          "tree",       "tools",          "clean_env",   "quota",       "limit_texts",
                          "limits",     "limits.retries", "limits.time", "limits.idle", "limits.tokens",
                          "limits.usd", "limits.turns",   "acp",         "permissions"});
  add_keys(spec.ignored, fields.rest(), "");
  return spec;
}

RoleSpec spec_of(const Team& team, const std::optional<std::string>& role) {
  if (!role) return {};
  check_role(team, *role);
  const Role* found = team.find_role(*role);
  return found != nullptr ? parse_role(*found, team.place) : RoleSpec{};
}

void check_role(const Team& team, const std::string& role) {
  if (team.find_role(role) != nullptr) return;
  if (!is_name(role)) {
    fail(Code::usage,
         "'{}' is not a name: a role has 1 to 64 letters, digits, '-' or '_' and begins with a letter or digit",
         one_line(role));
  }
  // A role named after the lead only gives the lead its instructions. It does not count as a definition of roles.
  const auto known = role_names(team);
  const bool has_roles = std::any_of(known.begin(), known.end(), [&](const auto& name) { return name != team.lead; });
  if (!has_roles || role == team.lead) return;
  const std::string hint = did_you_mean(role, known);
  fail(Code::not_found, "no role '{}' in team {}{}", one_line(role), team.name,
       hint.empty() ? "; there is " + join(known, ", ") : hint);
}

std::vector<std::string> role_names(const Team& team) {
  std::vector<std::string> names;
  for (const Role& role : team.roles) names.push_back(role.name);
  return names;
}

}  // namespace team
