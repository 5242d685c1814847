// team-where - print the root, board, team and member in use, and why

#include "libteam/base/error.h"
#include "libteam/base/text.h"
#include "libteam/cli/command.h"

namespace {

struct Found {
  std::string team, team_rule, board, board_rule;
};

Found find_team(team::Context& context) {
  const team::Team* found = nullptr;
  try {
    found = context.team_or_none();
  } catch (const team::Error& error) {
    const bool is_named = context.choices().team || context.choices().environment_team;
    if (error.code() != team::Code::usage || is_named) throw;
    const auto names = context.engine().names();
    return {"-", fmt::format("name one of {} with -t", team::join(names, ", ")), "-", "that of the team"};
  }
  if (found == nullptr) return {"-", "there is none", team::Team{}.board, "default"};
  return {found->name, context.team_rule(), found->board, "the team"};
}

team::Exit where(team::Context& context) {
  const team::Engine& store = context.engine();
  const Found found = find_team(context);
  const std::string member = context.actor_name();
  const team::Choices& choices = context.choices();
  team::Table table(context.out(), {"WHAT", "VALUE", "FOUND BY"});
  table.row({{"root"}, {store.place()}, {store.rule()}});
  table.row({{"board"}, {found.board}, {found.board_rule}});
  table.row({{"team"}, {found.team}, {found.team_rule}});
  table.row({{"member"}, {member}, {choices.actor ? "--as" : choices.environment_member ? "TEAM_MEMBER" : "default"}});
  table.finish();
  for (const std::string& stray : store.strays())
    team::warn(fmt::format("warning: another store in '{}' is not used", stray));
  return team::Exit::done;
}

}  // namespace

int team_where(int argc, char** argv) {
  team::Command command("team-where", "print the root, board, team and member in use, and why", "[options]");
  command.takes_team();
  command.takes_actor();
  command.example("team-where");
  return command.run(argc, argv, where);
}
