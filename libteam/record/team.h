// A team: who is in it, what roles there are, how it is set up. `config.json` as a value.
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
  std::string extra = "{}";  // keys we do not know, as a JSON object
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
  std::string board = ".tasks";  // beneath the root
  double created_at = 0;
  std::optional<std::string> created_by;  // the agent that made it; none for a team of the user
  std::vector<Role> roles;
  std::vector<Setting> settings;  // those that were set; see record/settings.h for the rest
  std::vector<Member> members;    // the lead first
  // The last number given to a teammate of each role: a name is not used again while the team lives.
  std::vector<std::pair<std::string, std::int64_t>> numbers;
  std::optional<double> finished_at;
  std::optional<std::string> summary;  // of what it did, when it was finished
  std::string extra = "{}";

  const Member* find(std::string_view member) const;
  const Role* find_role(std::string_view role) const;
};

Team parse_team(std::string_view text, std::string_view name, std::string_view file);
std::string to_file(const Team& team);
std::string to_line(const Team& team);

// A role from a file of the user's: a JSON object as it is, any other text as {"prompt": text}.
Role make_role(const std::string& name, std::string_view text, std::string_view file);

// Takes the place of one of that name.
void put_role(Team& team, Role role);

// `user` and `system` are nobody's name, `all` means everybody, `lead` is the lead's unless the team chose another.
bool is_reserved(std::string_view name);

// Who acts, and by what right.
struct Actor {
  std::string name = "user";
  std::optional<std::string> role;
  std::optional<std::string> run;  // TEAM_RUN_ID: which of several lives of this name
  bool leads = true;               // the lead, or the user
};

}  // namespace team
