// team-load - create a team from an archive of team-save

#include "libteam/cli/command.h"
#include "libteam/cli/team_start.h"
#include "libteam/cli/trust_output.h"
#include "libteam/store/files/file_engine.h"
#include "libteam/store/files/snapshot.h"

namespace {

struct Options {
  std::string file;
  team::LoadChoice choice;
  bool trust = false;
};

// The contents of an archive come from somebody else: they run only if the user trusts the team.
void settle_trust(team::Context& context, const std::string& name, const Options& options) {
  context.choose_team(name);
  const team::Folder folder = in_files(context.engine()).roster().folder_of(name);
  const auto ask = [&] { return ask_for_trust(context.team(), list_runnables(context.team(), folder)); };
  if (options.trust || (options.file != "-" && ask())) {
    trust_team(in_files(context.engine()).root(), name, folder, context.choices().lock_timeout);
    return;
  }
  team::warn(
      fmt::format("team {0} is not trusted and runs nothing; 'team-trust -t {0} --show' lists what it runs, "
                  "'team-trust -t {0}' accepts it",
                  name));
}

team::Exit load(team::Context& context, const Options& options) {
  team::check_maker(context);
  context.changes();
  if (options.trust) team::require_person(context);
  const std::string name =
      team::load_team(in_files(context.engine()).root(), options.file, options.choice, context.choices().lock_timeout);
  try {
    settle_trust(context, name, options);
  } catch (const team::Error& error) {
    team::fail(team::Code::unknown, "team {} is loaded, but not marked as trusted: {}", name, error.what());
  }
  context.out().line(name);
  return team::Exit::done;
}

}  // namespace

int team_load(int argc, char** argv) {
  Options options;
  team::Command command("team-load", "create a team from an archive of team-save", "[options] FILE");
  command.operand("FILE", options.file, "the archive; - for stdin");
  command.option("--name NEW", options.choice.name, "the name of the new team (else that in the archive)");
  command.option("--board DIR", options.choice.board, "its board, beneath the root (else that in the archive)");
  command.flag("--trust", options.trust, "trust the team: let it run hooks, commands and agents");
  command.makes_store();
  command.takes_lock();
  command.example("team-load demo.tar");
  command.example("zcat demo.tar.gz | team-load --name again --board again -");
  return command.run(argc, argv, [&](team::Context& context) { return load(context, options); });
}
