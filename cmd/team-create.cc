// team-create - create a team

#include "libteam/cli/command.h"
#include "libteam/cli/input.h"
#include "libteam/cli/team_start.h"
#include "libteam/record/settings.h"

namespace {

struct Options {
  team::Team team;
  std::vector<std::string> roles;
  std::optional<std::int64_t> most;
};

team::Exit create(team::Context& context, Options& options) {
  team::Team& made = options.team;
  for (const std::string& role : options.roles) made.roles.push_back(team::read_role(role));
  if (options.most) team::set_setting(made, "teammates.max", std::to_string(*options.most));
  make_team(context, made);
  context.out().line(made.name);
  return team::Exit::done;
}

}  // namespace

int team_create(int argc, char** argv) {
  Options options;
  team::Command command("team-create", "create a team", "[options] NAME");
  command.operand("NAME", options.team.name, "the name of the team");
  command.option("--lead NAME", options.team.lead, "the name of the lead (lead)");
  command.option("--board DIR", options.team.board, "the folder of the board, beneath the root (.tasks)");
  command.option("--role NAME=FILE", options.roles, "a role: a JSON object or a prompt (repeatable)");
  command.option("--max-teammates N", options.most, "teammates that can run at once (10; 0: no limit)");
  command.makes_store();
  command.takes_lock();
  command.example("team-create rest-to-graphql");
  return command.run(argc, argv, [&](team::Context& context) { return create(context, options); });
}
