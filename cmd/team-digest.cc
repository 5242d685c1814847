// team-digest - print the recent messages of the members

#include "libteam/cli/command.h"
#include "libteam/store/digest.h"

namespace {

team::Exit digest(team::Context& context) {
  const team::Team& team = context.team();
  const std::string& reader = context.actor().name;
  for (const std::string& line : team::digest_for(context.mail().events(), team, reader)) context.out().line(line);
  return team::Exit::done;
}

}  // namespace

int team_digest(int argc, char** argv) {
  team::Command command("team-digest", "print the recent messages of the members", "[options]");
  command.takes_team();
  command.takes_actor();
  command.example("team-digest --as backend");
  return command.run(argc, argv, digest);
}
