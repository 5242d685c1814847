#include "libteam/store/team_creation.h"

#include "libteam/base/clock.h"
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

}  // namespace team
