// team-load - make a team from an archive of team-save

#include "libteam/cli/command.h"
#include "libteam/store/snapshot.h"

namespace {

struct Options {
  std::string file;
  team::LoadChoice choice;
};

team::Exit load(team::Context& context, const Options& options) {
  context.make_root_here();
  context.changes();
  context.out().line(team::load_team(context.root(), options.file, options.choice, context.choices().lock_timeout));
  return team::Exit::done;
}

}  // namespace

int team_load(int argc, char** argv) {
  Options options;
  team::Command command("team-load", "make a team from an archive of team-save", "[options] FILE");
  command.operand("FILE", options.file, "the archive; - for stdin");
  command.option("--name NEW", options.choice.name, "call the team so, not as in the archive");
  command.option("--board DIR", options.choice.board, "its board, beneath the root, not as in the archive");
  command.takes_lock();
  command.example("team-load demo.tar");
  command.example("zcat demo.tar.gz | team-load --name again --board again -");
  return command.run(argc, argv, [&](team::Context& context) { return load(context, options); });
}
