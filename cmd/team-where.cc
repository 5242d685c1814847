// team-where - print which root, board, team and member hold here, and why

#include "libteam/cli/command.h"

namespace {

team::Exit where(team::Context& context) {
  const team::Root& root = context.root();
  const team::Team* found = context.team_or_none();
  const team::Actor& actor = context.actor();
  const team::Choices& choices = context.choices();
  team::Table table(context.out(), {"WHAT", "VALUE", "FOUND BY"});
  table.row({{"root"}, {root.path()}, {root.rule()}});
  table.row({{"board"}, {found != nullptr ? found->board : team::kDefaultBoard}, {found != nullptr ? "the team" : "default"}});
  table.row({{"team"}, {found != nullptr ? found->name : "-"}, {found != nullptr ? context.team_rule() : "there is none"}});
  table.row({{"member"}, {actor.name}, {choices.actor ? "--as" : choices.environment_member ? "TEAM_MEMBER" : "default"}});
  table.finish();
  for (const std::string& stray : root.strays()) team::warn(fmt::format("warning: another store in '{}' is not used", stray));
  return team::Exit::done;
}

}  // namespace

int main(int argc, char** argv) {
  team::Command command("team-where", "print which root, board, team and member hold here, and why", "[options]");
  command.takes_team();
  command.takes_actor();
  command.example("team-where");
  return command.run(argc, argv, where);
}
