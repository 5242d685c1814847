// team-delete - delete a team

#include "libteam/agent/life/shutdown.h"
#include "libteam/cli/command.h"
#include "libteam/store/team_creation.h"

namespace {

// Stops all running members, including the lead: nobody may work for a deleted team.
void stop_everybody(team::Context& context) {
  team::TeamSession session(context.engine(), context.team().name, context.actor());
  auto names = team::running_teammates(session);
  const std::string& lead = context.team().lead;
  if (session.engine().life_of(context.team().name, lead) == team::Life::running) names.push_back(lead);
  constexpr double kPatience = 10;
  for (const auto& one : team::stop_teammates(session, names, kPatience, team::Insist::yes)) {
    if (one.kind == team::Stopped::Kind::killed) team::warn(team::describe(one));
  }
}

team::Exit delete_team(team::Context& context, const std::string& name, bool force) {
  context.choose_team(name);
  context.require_lead("delete a team");
  context.changes();
  if (force) stop_everybody(context);
  team::delete_team(context.engine(), name);
  return team::Exit::done;
}

}  // namespace

int team_delete(int argc, char** argv) {
  std::string name;
  bool force = false;
  team::Command command("team-delete", "delete a team", "[options] TEAM");
  command.operand("TEAM", name, "the team to delete");
  command.flag("--force", force, "shut down running members; kill those that do not end within 10 s");
  command.takes_actor();
  command.takes_lock();
  command.example("team-delete rest-to-graphql");
  return command.run(argc, argv, [&](team::Context& context) { return delete_team(context, name, force); });
}
