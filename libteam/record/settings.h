// The settings of a team: their keys, their defaults, what values they take.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libteam/record/team.h"

namespace team {

struct SettingRule {
  std::string_view key;
  std::string_view fallback;  // JSON, as text
  std::string_view values;    // for people: what may stand there
};

const std::vector<SettingRule>& setting_rules();

// The value that holds, as people type it (a string without quotes). Throws not_found with the nearest keys.
std::string setting(const Team& team, std::string_view key);

// A setting that is known to be a number or a truth value.
double number_setting(const Team& team, std::string_view key);
bool switch_setting(const Team& team, std::string_view key);

// Throws not_found for an unknown key and usage for a value that it does not take.
void set_setting(Team& team, std::string_view key, std::string_view value);
void unset_setting(Team& team, std::string_view key);

}  // namespace team
