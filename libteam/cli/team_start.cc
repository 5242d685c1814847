#include "libteam/cli/team_start.h"

#include <algorithm>

#include "libteam/base/clock.h"

namespace team {

void make_team(Context& context, Team team) {
  context.make_root_here();
  team.created_at = now();
  team.members.insert(team.members.begin(), {team.lead, std::nullopt, team.created_at, "{}"});
  context.changes();
  context.roster().create(team);
  context.choose_team(team.name);
  after_change([&] {
    context.mail().record(context.actor(), {make_event("TEAM_CREATED", {{"lead", team.lead}, {"board", team.board}})});
  });
}

Team find_or_plan_team(Context& context, const std::string& fallback) {
  context.make_root_here();
  const Choices& choices = context.choices();
  const auto& named = choices.team ? choices.team : choices.environment_team;
  const auto names = context.roster().names();
  const bool is_there = named ? std::find(names.begin(), names.end(), *named) != names.end() : !names.empty();
  if (is_there) return context.team();
  Team team;
  team.name = named.value_or(fallback);
  return team;
}

}  // namespace team
