// The configuration of a team: accepted text is written back the same, and every accepted setting and every role from a
// file can be stored.

#include "libteam/record/team.h"

#include "libteam/record/role.h"
#include "libteam/record/settings.h"
#include "tests/fuzz/fuzz.h"

using namespace team;

namespace {

Team small_team() {
  Team team;
  team.name = "alpha";
  team.members.push_back({"lead", {}, 1, false, "{}"});
  return team;
}

void check_storable(const Team& team) {
  const std::string written = to_file(team);
  REQUIRE(to_file(parse_team(written, "alpha", "config.json")) == written);
}

void check_config(std::string_view text) {
  Team team;
  if (!fuzz::is_accepted([&] { team = parse_team(text, "alpha", "config.json"); })) return;
  check_storable(team);
  Team full = small_team();
  full.numbers.emplace_back("r", 1);
  full.finished_at = 1;
  full.summary = "x";
  full.created_by = "x";
  full.members[0].helper = true;
  REQUIRE(fuzz::keeps_unknown_keys(text, to_file(team), to_file(full)));
  REQUIRE(fuzz::is_json(to_line(team)));
  for (const SettingRule& rule : setting_rules()) {
    REQUIRE(fuzz::is_utf8(setting(team, rule.key)));
    fuzz::is_accepted([&] { number_setting(team, rule.key); });
    switch_setting(team, rule.key);
  }
  for (const Role& role : team.roles) fuzz::is_accepted([&] { spec_of(team, role.name); });
}

void check_settings(std::string_view value) {
  for (const SettingRule& rule : setting_rules()) {
    Team team = small_team();
    if (!fuzz::is_accepted([&] { set_setting(team, rule.key, value); }, Code::usage)) continue;
    check_storable(team);
    Team again = parse_team(to_file(team), "alpha", "config.json");
    REQUIRE(setting(again, rule.key) == setting(team, rule.key));
    unset_setting(again, rule.key);
    REQUIRE(again.settings.empty());
  }
}

void check_role(std::string_view text) {
  Team team = small_team();
  if (!fuzz::is_accepted([&] { put_role(team, make_role("coder", text, "coder.md")); })) return;
  check_storable(team);
  fuzz::is_accepted([&] {
    const RoleSpec spec = spec_of(team, "coder");
    REQUIRE(spec.time_limit.value_or(0) >= 0 && spec.idle_timeout.value_or(0) >= 0 && spec.retries.value_or(0) >= 0);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = fuzz::text_of(bytes, size);
  check_config(text);
  check_settings(text);
  check_role(text);
  return 0;
}
