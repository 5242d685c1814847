#include "libteam/store/team_creation.h"

#include <algorithm>

#include "libteam/base/clock.h"
#include "libteam/base/terminal_text.h"
#include "libteam/record/settings.h"
#include "libteam/store/mail.h"

namespace team {

Team create_team(const Engine& engine, Team team, const Actor& creator,
                 const std::function<void(const Error&)>& untrusted) {
  team.created_at = now();
  team.members.insert(team.members.begin(), {team.lead, std::nullopt, team.created_at, false, "{}"});
  engine.create(team, untrusted);
  return after_change([&] {
    const Mail mail(engine.open_team(team), team);
    mail.record(creator, {make_event("TEAM_CREATED", {{"lead", team.lead}, {"board", team.board}})});
    return team;
  });
}

void check_maker(const Engine& engine, const std::optional<std::string>& agent,
                 const std::optional<std::string>& own_team) {
  if (!agent) return;
  const auto names = engine.names();
  const std::string name = own_team ? *own_team : names.size() == 1 ? names.front() : "";
  const bool is_there = std::find(names.begin(), names.end(), name) != names.end();
  if (is_there && switch_setting(engine.get(name), "teammates.createTeams")) return;
  fail(Code::permission_denied, "{} is an agent (TEAM_MEMBER), and only the user makes teams (teammates.createTeams)",
       one_line(*agent));
}

void delete_team(const Engine& engine, const std::string& name) {
  engine.remove(name);
  try {
    engine.forget_trust(name);
  } catch (const Error&) {
    // The mark stays. It fits no other team.
  }
}

}  // namespace team
