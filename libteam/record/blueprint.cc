#include "libteam/record/blueprint.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libteam/base/name.h"
#include "libteam/base/spelling.h"
#include "libteam/base/terminal_text.h"
#include "libteam/record/json_fields.h"
#include "libteam/record/role.h"
#include "libteam/record/settings.h"

namespace team {

namespace {

constexpr std::int64_t kMostOfARole = 1000;

// The value of a setting in the syntax of team-config.
std::string as_typed(const Json& value) { return value.is_string() ? value.get<std::string>() : dump_line(value); }

void check_role_of(const Draft& draft, const Blueprint& made, std::string_view file) {
  const auto& role = draft.task.role;
  const bool known = !role || std::any_of(made.teammates.begin(), made.teammates.end(),
                                          [&](const auto& entry) { return entry.first == *role && entry.second > 0; });
  if (known) return;
  std::vector<std::string> played;
  for (const auto& entry : made.teammates) {
    if (entry.second > 0) played.push_back(entry.first);
  }
  fail(Code::usage, "{}: {}: no teammate has the role '{}'{}", file, draft.where, one_line(*role),
       did_you_mean(*role, played));
}

void check_role(const Role& role, Blueprint& made, std::string_view file) {
  RoleSpec spec;
  try {
    spec = parse_role(role, std::string(file));
  } catch (const Error& error) {
    throw Error(Code::usage, error.what());
  }
  const bool is_played = std::any_of(made.teammates.begin(), made.teammates.end(),
                                     [&](const auto& entry) { return entry.first == role.name && entry.second > 0; });
  if (is_played && !spec.command && !spec.acp && !spec.model) {
    fail(Code::usage, "{}: role {} has no command, no agent (acp) and no model", file, role.name);
  }
  for (const std::string& key : spec.ignored) made.ignored.push_back(fmt::format("roles.{}.{}", role.name, key));
}

Blueprint read(const Json& json, std::string_view text, std::string_view file) {
  Fields fields(json, text, file, Code::usage);
  Blueprint made;
  made.team.name = fields.text("team").value_or("");
  if (made.team.name.empty()) fields.refuse("team", "the name of the team");
  made.team.lead = fields.text("lead").value_or(made.team.lead);
  made.team.board = fields.text("board").value_or(made.team.board);
  if (const Json* settings = fields.object("settings")) {
    for (const auto& setting : settings->items()) {
      try {
        set_setting(made.team, setting.key(), as_typed(setting.value()));
      } catch (const Error& error) {
        fail(Code::usage, "{}: {}", file, error.what());
      }
    }
  }
  if (const Json* roles = fields.object("roles")) {
    for (const auto& role : roles->items()) {
      if (!is_name(role.key()) || !role.value().is_object()) fields.refuse("roles", "an object of named objects");
      made.team.roles.push_back({role.key(), dump_line(role.value())});
    }
  }
  if (const Json* teammates = fields.object("teammates")) {
    Fields inner(*teammates, text, file, Code::usage);
    for (const auto& entry : teammates->items()) {
      if (made.team.find_role(entry.key()) == nullptr) {
        fail(Code::usage, "{}: teammates: no role '{}'{}", file, one_line(entry.key()),
             did_you_mean(entry.key(), role_names(made.team)));
      }
      made.teammates.emplace_back(entry.key(), inner.integer(entry.key().c_str(), 0, kMostOfARole).value_or(0));
    }
  } else {
    for (const Role& role : made.team.roles) made.teammates.emplace_back(role.name, 1);
  }
  if (const Json* tasks = fields.array("tasks")) {
    for (const Json& task : *tasks) {
      const std::string where = fmt::format("task {}", made.tasks.size() + 1);
      try {
        made.tasks.push_back(parse_draft(dump_line(task), where));
      } catch (const Error& error) {
        fail(Code::usage, "{}: {}", file, error.what());
      }
    }
  }
  fields.refuse_misspelt({"team", "lead", "board", "settings", "roles", "teammates", "tasks"});
  const Json rest = fields.rest();
  for (const auto& item : rest.items()) made.ignored.push_back(item.key());
  return made;
}

}  // namespace

Blueprint parse_blueprint(std::string_view text, std::string_view file) {
  Json json;
  try {
    json = parse_json(text, file);
  } catch (const Error& error) {
    throw Error(Code::usage, error.what());
  }
  Blueprint made = read(json, text, file);
  for (const Role& role : made.team.roles) check_role(role, made, file);
  for (const Draft& draft : made.tasks) check_role_of(draft, made, file);
  return made;
}

}  // namespace team
