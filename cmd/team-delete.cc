// team-delete - remove a team

#include "libteam/cli/command.h"

namespace {

team::Exit delete_team(team::Context& context, const std::string& name) {
  context.choose_team(name);
  context.require_lead("delete a team");
  context.changes();
  context.roster().remove(name);
  return team::Exit::done;
}

}  // namespace

int main(int argc, char** argv) {
  std::string name;
  team::Command command("team-delete", "remove a team", "[options] TEAM");
  command.operand("TEAM", name, "the team to remove");
  command.takes_actor();
  command.takes_lock();
  command.example("team-delete rest-to-graphql");
  return command.run(argc, argv, [&](team::Context& context) { return delete_team(context, name); });
}
