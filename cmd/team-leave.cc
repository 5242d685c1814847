// team-leave - remove a member from a team

#include "libteam/cli/command.h"

namespace {

team::Exit leave(team::Context& context, const std::string& name) {
  if (context.actor().name != name) context.require_lead("remove others");
  context.changes();
  context.session().membership().leave({name});
  context.made();
  return team::Exit::done;
}

}  // namespace

int team_leave(int argc, char** argv) {
  std::string name;
  team::Command command("team-leave", "remove a member from a team", "[options] NAME");
  command.operand("NAME", name, "the member to remove");
  command.takes_team();
  command.takes_actor();
  command.takes_lock();
  command.example("team-leave backend");
  return command.run(argc, argv, [&](team::Context& context) { return leave(context, name); });
}
