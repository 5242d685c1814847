#include "libteam/record/team.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libteam/base/error.h"
#include "libteam/base/json_text.h"
#include "libteam/base/name.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/utf8.h"
#include "libteam/record/json_fields.h"

namespace team {

namespace {

std::string required_name(Fields& fields, const char* key) {
  const auto name = fields.text(key);
  if (!name || !is_name(*name)) fields.refuse(key, "a name");
  return *name;
}

Member parse_member(const Json& json, std::string_view text, std::string_view file) {
  Fields fields(json, text, file);
  Member member;
  member.name = required_name(fields, "name");
  member.role = fields.text("role");
  member.joined_at = fields.number("joinedAt").value_or(0);
  member.helper = fields.boolean("helper").value_or(false);
  member.extra = fields.rest_text();
  return member;
}

std::string to_text(const Team& team, JsonText::Layout layout) {
  JsonText roles, settings, numbers;
  for (const Role& role : team.roles) roles.add_json(role.name, role.definition);
  for (const Setting& setting : team.settings) settings.add_json(setting.key, setting.value);
  for (const auto& [role, number] : team.numbers) numbers.add(role, number);
  std::vector<std::string> members;
  for (const Member& member : team.members) {
    JsonText text;
    text.add("name", member.name);
    text.add("role", member.role);
    text.add("joinedAt", member.joined_at);
    if (member.helper) text.add("helper", true);
    text.add_all_of(member.extra);
    members.push_back(text.take());
  }
  JsonText text(layout);
  text.add("name", team.name);
  text.add("lead", team.lead);
  text.add("board", team.board);
  text.add("createdAt", team.created_at);
  text.add_json("roles", roles.take());
  text.add_json("settings", settings.take());
  text.add_json("members", json_array(members));
  if (team.created_by) text.add("createdBy", *team.created_by);
  if (!team.numbers.empty()) text.add_json("numbers", numbers.take());
  if (team.finished_at) text.add("finishedAt", *team.finished_at);
  if (team.summary) text.add("summary", *team.summary);
  text.add_all_of(team.extra);
  return text.take();
}

}  // namespace

const Member* Team::find(std::string_view member) const {
  const auto found = std::find_if(members.begin(), members.end(), [&](const Member& m) { return m.name == member; });
  return found == members.end() ? nullptr : &*found;
}

const Role* Team::find_role(std::string_view role) const {
  const auto found = std::find_if(roles.begin(), roles.end(), [&](const Role& r) { return r.name == role; });
  return found == roles.end() ? nullptr : &*found;
}

Team parse_team(std::string_view text, std::string_view name, std::string_view file) {
  Fields fields(text, file);
  Team team;
  team.place = file;
  team.name = required_name(fields, "name");
  if (team.name != name) fields.refuse("name", fmt::format("'{}', as the folder is named", name));
  team.lead = required_name(fields, "lead");
  team.board = fields.text("board").value_or(".tasks");
  team.created_at = fields.number("createdAt").value_or(0);
  team.created_by = fields.text("createdBy");
  if (const Json* roles = fields.object("roles")) {
    for (const auto& role : roles->items()) {
      if (!is_name(role.key()) || !role.value().is_object()) fields.refuse("roles", "an object of named objects");
      team.roles.push_back({role.key(), dump_line(role.value())});
    }
  }
  if (const Json* settings = fields.object("settings")) {
    for (const auto& setting : settings->items()) team.settings.push_back({setting.key(), dump_line(setting.value())});
  }
  if (const Json* members = fields.array("members")) {
    for (const Json& member : *members) team.members.push_back(parse_member(member, text, file));
  }
  if (const Json* numbers = fields.object("numbers")) {
    for (const auto& number : numbers->items()) {
      const Json& value = number.value();
      const bool fits = value.is_number_integer() && value >= 0 && value <= INT32_MAX;
      if (!fits) fields.refuse("numbers", "an object of whole numbers");
      team.numbers.emplace_back(number.key(), value.get<std::int64_t>());
    }
  }
  team.finished_at = fields.number("finishedAt");
  team.summary = fields.text("summary");
  team.extra = fields.rest_text();
  return team;
}

std::string to_file(const Team& team) { return to_text(team, JsonText::Layout::indented); }

std::string to_line(const Team& team) { return to_text(team, JsonText::Layout::line); }

Role make_role(const std::string& name, std::string_view text, std::string_view file) {
  // In the configuration the definition is two levels deeper.
  constexpr JsonLimits kLimits{.depth = JsonLimits{}.depth - 2};
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start != std::string_view::npos && text[start] == '{') {
    return {name, dump_line(parse_json(text, file, kLimits))};
  }
  return {name, dump_line(Json{{"prompt", repair_utf8(text)}})};
}

void put_role(Team& team, Role role) {
  std::erase_if(team.roles, [&](const Role& other) { return other.name == role.name; });
  team.roles.push_back(std::move(role));
}

bool is_reserved(std::string_view name) {
  for (const std::string_view reserved : {"user", "system", "all", "lead"}) {
    if (same_name(name, reserved)) return true;
  }
  return false;
}

void check_name(std::string_view kind, const std::string& name) {
  if (is_name(name)) return;
  fail(Code::usage,
       "'{}' is not a name: a {} has 1 to 64 letters, digits, '-' or '_' and begins with a letter or digit",
       one_line(name), kind);
}

void check_new_name(std::string_view kind, const std::string& name) {
  check_name(kind, name);
  if (is_reserved(name)) fail(Code::usage, "'{}' is reserved", name);
}

}  // namespace team
