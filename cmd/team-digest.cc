// team-digest - print the recent messages of the members

#include "libteam/cli/command.h"

namespace {

team::Exit digest(team::Context& context) {
  for (const std::string& line : context.session().digest()) context.out().line(line);
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
