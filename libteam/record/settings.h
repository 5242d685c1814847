// The settings of a team: their keys, defaults and possible values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libteam/record/team.h"

namespace team {

struct SettingRule {
  std::string_view key;
  std::string_view fallback;  // JSON, as text
  std::string_view values;    // the possible values, described for people
};

const std::vector<SettingRule>& setting_rules();

// The value of a setting or its default, in the syntax of the command line (a string without quotes). Throws not_found
// with similar keys.
std::string setting(const Team& team, std::string_view key);

// The value of a setting whose rule says that it is a number, or true or false.
double number_setting(const Team& team, std::string_view key);
bool switch_setting(const Team& team, std::string_view key);

// Throws not_found for an unknown key, and usage for a wrong value.
void set_setting(Team& team, std::string_view key, std::string_view value);
void unset_setting(Team& team, std::string_view key);

}  // namespace team
