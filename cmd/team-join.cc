// team-join - add a member to a team by hand

#include "libteam/cli/command.h"

namespace {

struct Options {
  std::string name;
  std::optional<std::string> role;
};

team::Exit join_team(team::Context& context, const Options& options) {
  if (context.actor().name != options.name) context.require_lead("add others");
  context.changes();
  context.session().membership().join(options.name, options.role);
  context.made();
  context.out().line(options.name);
  return team::Exit::done;
}

}  // namespace

int team_join(int argc, char** argv) {
  Options options;
  team::Command command("team-join", "add a member to a team by hand", "[options] NAME");
  command.operand("NAME", options.name, "the new member");
  command.option("--role ROLE", options.role, "its role: it gets tasks of this role from task-claim --next");
  command.takes_team();
  command.takes_actor();
  command.takes_lock();
  command.example("team-join backend --role coder");
  return command.run(argc, argv, [&](team::Context& context) { return join_team(context, options); });
}
