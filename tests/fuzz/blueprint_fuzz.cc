// A team in one file: an accepted file can be stored, task by task and as a team. Everything else is a usage error.

#include "libteam/record/blueprint.h"

#include "libteam/record/role.h"
#include "libteam/record/settings.h"
#include "tests/fuzz/fuzz.h"

using namespace team;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  Blueprint made;
  const std::string_view text = fuzz::text_of(bytes, size);
  if (!fuzz::is_accepted([&] { made = parse_blueprint(text, "team.json"); }, Code::usage)) return 0;
  REQUIRE(!made.team.name.empty());
  // The roster checks the name of the team, not the parser.
  made.team.name = made.team.lead = "alpha";
  const std::string written = to_file(made.team);
  REQUIRE(to_file(parse_team(written, "alpha", "config.json")) == written);
  for (const SettingRule& rule : setting_rules()) REQUIRE(fuzz::is_utf8(setting(made.team, rule.key)));
  for (const auto& [role, count] : made.teammates) {
    const RoleSpec spec = spec_of(made.team, role);
    REQUIRE(count >= 0 && (count == 0 || spec.command || spec.model));
  }
  for (Draft& draft : made.tasks) {
    check_task(draft.task);
    draft.task.id = 1;
    REQUIRE(to_file(parse_task(to_file(draft.task), 1, "1.json")) == to_file(draft.task));
  }
  return 0;
}
