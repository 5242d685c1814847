// team-top - watch a team live, and write to its members

#include "libteam/cli/command.h"
#include "libteam/view/top.h"

int team_top(int argc, char** argv) {
  team::Command command("team-top", "watch a team live, and write to its members", "[options]");
  command.takes_team();
  command.takes_actor();
  command.takes_lock();
  command.example("team-top");
  command.example("team-top -t shop --as lead");
  return command.run(argc, argv, team::show_top);
}
