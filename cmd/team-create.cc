// team-create - make a team

#include "libteam/base/clock.h"
#include "libteam/base/text.h"
#include "libteam/cli/command.h"
#include "libteam/cli/input.h"
#include "libteam/record/settings.h"

namespace {

struct Options {
  team::Team team;
  std::vector<std::string> roles;
  std::optional<std::int64_t> most;
};

team::Role read_role(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  if (equals == std::string::npos || !team::is_name(name)) {
    team::fail(team::Code::usage, "--role: '{}' is not NAME=FILE", team::one_line(text));
  }
  const std::string file = text.substr(equals + 1);
  try {
    return team::make_role(name, team::read_user_file(file), file);
  } catch (const team::Error& error) {
    if (error.code() != team::Code::corrupt) throw;
    team::fail(team::Code::usage, "--role: {}", error.what());
  }
}

team::Exit create(team::Context& context, Options& options) {
  team::Team& made = options.team;
  for (const std::string& role : options.roles) made.roles.push_back(read_role(role));
  if (options.most) team::set_setting(made, "teammates.max", std::to_string(*options.most));
  context.make_root_here();
  made.created_at = team::now();
  made.members.push_back({made.lead, std::nullopt, made.created_at, "{}"});
  context.changes();
  context.roster().create(made);
  context.choose_team(made.name);
  context.mail().record(context.actor(),
                        {team::make_event("TEAM_CREATED", {{"lead", made.lead}, {"board", made.board}})});
  context.out().line(made.name);
  return team::Exit::done;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  team::Command command("team-create", "make a team", "[options] NAME");
  command.operand("NAME", options.team.name, "the name of the team");
  command.option("--lead NAME", options.team.lead, "the name of its lead (lead)");
  command.option("--board DIR", options.team.board, "its board, beneath the root (.tasks)");
  command.option("--role NAME=FILE", options.roles, "a role: a JSON object, or text that is its prompt (repeated)");
  command.option("--max-teammates N", options.most, "how many teammates there may be (10; 0: no limit)");
  command.takes_lock();
  command.example("team-create rest-to-graphql");
  return command.run(argc, argv, [&](team::Context& context) { return create(context, options); });
}
