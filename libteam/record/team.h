// A team: its members, roles and settings. `config.json` as a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace team {

struct Member {
  std::string name;
  std::optional<std::string> role;
  double joined_at = 0;
  bool helper = false;       // does one piece of work and leaves; does not count against teammates.max
  std::string extra = "{}";  // unknown keys, as a JSON object
};

struct Setting {
  std::string key;
  std::string value;  // JSON, as text
};

struct Role {
  std::string name;
  std::string definition;  // a JSON object, as text: prompt, command or model, tools, plan, limits
};

struct Team {
  std::string name;
  std::string lead = "lead";
  std::string board = ".tasks";  // relative to the root
  double created_at = 0;
  std::optional<std::string> created_by;  // the agent that created it; none if the user did
  std::vector<Role> roles;
  std::vector<Setting> settings;  // only settings that differ from the defaults in record/settings.h
  std::vector<Member> members;    // the lead first
  // The last number of a teammate of each role, so that the team uses no name twice.
  std::vector<std::pair<std::string, std::int64_t>> numbers;
  std::optional<double> finished_at;
  std::optional<std::string> summary;  // of its work, given when it was finished
  std::string extra = "{}";
  std::string place;  // where the configuration was read from, for messages; empty for a new team

  const Member* find(std::string_view member) const;
  const Role* find_role(std::string_view role) const;
};

Team parse_team(std::string_view text, std::string_view name, std::string_view file);
std::string to_file(const Team& team);
std::string to_line(const Team& team);

// Makes a role from a file of the user: a JSON object as it is, any other text as {"prompt": text}.
Role make_role(const std::string& name, std::string_view text, std::string_view file);

// Adds the role, or replaces the role of that name.
void put_role(Team& team, Role role);

// True for names that no teammate may have: `user`, `system`, `all` (every member) and `lead`.
bool is_reserved(std::string_view name);

// Throws usage for a text that cannot be a name. `kind` says whose: "team", "member".
void check_name(std::string_view kind, const std::string& name);
// Does the same, and throws usage for a reserved name too.
void check_new_name(std::string_view kind, const std::string& name);

// The caller of an operation, and its rights.
struct Actor {
  std::string name = "user";
  std::optional<std::string> role;
  std::optional<std::string> run;  // TEAM_RUN_ID, which tells one run of this name from another
  bool leads = true;               // true for the lead and the user
};

}  // namespace team
