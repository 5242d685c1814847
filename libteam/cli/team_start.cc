#include "libteam/cli/team_start.h"

#include <algorithm>

#include "libteam/base/environment_variable.h"
#include "libteam/base/terminal_text.h"
#include "libteam/record/settings.h"
#include "libteam/store/team_creation.h"

namespace team {

void check_maker(Context& context) {
  context.make_root_here();
  const Choices& choices = context.choices();
  if (choices.environment_member) check_maker(context.engine(), choices.environment_member, choices.environment_team);
}

void check_starter(Context& context, const Team& team, std::string_view what) {
  const std::string actor = context.actor_name();
  if (actor == "user" || actor == team.lead) return;
  fail(Code::permission_denied, "only the lead or the user may {}, not {}", what, actor);
}

void make_team(Context& context, Team team) {
  check_maker(context);
  team.created_by = context.choices().environment_member;
  context.changes();
  const std::string name = team.name;
  const auto untrusted = [&](const Error& error) {
    if (environment_variable("TEAM_TRUST") == "1") return;
    warn(fmt::format("warning: team {} is not marked as trusted and will run nothing: {}; see team-trust(1)", name,
                     error.what()));
  };
  const Actor creator{.name = context.actor_name(), .role = {}, .run = context.choices().run, .leads = true};
  create_team(context.engine(), std::move(team), creator, untrusted);
  context.choose_team(name);
}

Team find_or_plan_team(Context& context, const std::string& fallback) {
  context.make_root_here();
  const Choices& choices = context.choices();
  const auto& named = choices.team ? choices.team : choices.environment_team;
  const auto names = context.engine().names();
  const bool is_there = named ? std::find(names.begin(), names.end(), *named) != names.end() : !names.empty();
  if (is_there) return context.team();
  Team team;
  team.name = named.value_or(fallback);
  return team;
}

}  // namespace team
