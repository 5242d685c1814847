// team-trust - let a team run its hooks, commands and agents

#include "libteam/agent/tools/skills.h"
#include "libteam/base/terminal_text.h"
#include "libteam/cli/command.h"
#include "libteam/cli/trust_output.h"
#include "libteam/store/files/file_engine.h"
#include "libteam/store/files/file_guard.h"
#include "libteam/store/files/trust.h"

namespace {

struct Options {
  bool show = false, list = false, remove = false, prune = false;
};

void print_marks(team::Context& context, const std::vector<team::TrustMark>& marks) {
  team::Table table(context.out(), {"ROOT", "TEAM", "STATE"});
  for (const team::TrustMark& mark : marks) {
    const std::string state(name_of(state_of(mark)));
    if (context.json()) context.out().line(to_line(mark));
    else table.row({{team::one_line(mark.root)}, {mark.team}, {state}});
  }
  table.finish();
}

std::vector<team::Runnable> runnables_of(team::Context& context, const team::Folder& folder) {
  auto found = list_runnables(context.team(), folder);
  for (const team::Skill& skill : team::list_skills(project_folder(context.engine()))) {
    found.push_back({"skill", skill.name, skill.description});
  }
  return found;
}

team::Exit trust(team::Context& context, const Options& options) {
  const double lock_timeout = context.choices().lock_timeout;
  if (options.list) {
    print_marks(context, team::trust_marks());
    return team::Exit::done;
  }
  if (!options.show) team::require_person(context);
  context.changes();
  if (options.prune) {
    print_marks(context, team::prune_marks(lock_timeout));
    return team::Exit::done;
  }
  const std::string& name = context.team().name;
  if (options.remove) {
    if (forget_team(in_files(context.engine()).root(), name, lock_timeout)) return team::Exit::done;
    return team::no(context, fmt::format("team {} has no mark", name));
  }
  const team::Folder folder = in_files(context.engine()).roster().folder_of(name);
  const auto runnables = runnables_of(context, folder);
  if (!options.show) trust_team(in_files(context.engine()).root(), name, folder, lock_timeout);
  context.made();
  print(context, runnables);
  return team::Exit::done;
}

}  // namespace

int team_trust(int argc, char** argv) {
  Options options;
  team::Command command("team-trust", "let a team run its hooks, commands and agents", "[options]");
  command.flag("--show", options.show, "only list what the team runs");
  command.flag("--list", options.list, "list the teams that you have trusted");
  command.flag("--remove", options.remove, "remove the mark of the team");
  command.flag("--prune", options.prune, "remove the marks of teams that are gone or replaced");
  command.at_most_one({"--show", "--list", "--remove", "--prune"});
  command.takes_team();
  command.takes_json();
  command.takes_lock();
  command.example("team-trust --show");
  command.example("team-trust -t rest-to-graphql");
  return command.run(argc, argv, [&](team::Context& context) { return trust(context, options); });
}
