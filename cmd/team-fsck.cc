// team-fsck - check the files of the store, and repair them

#include "libteam/cli/command.h"
#include "libteam/store/files/file_engine.h"
#include "libteam/store/files/fsck.h"

namespace {

using Tone = team::Output::Tone;

team::Exit check(team::Context& context, team::Repair repair) {
  if (repair == team::Repair::yes) context.changes();
  const auto findings = team::check_store(in_files(context.engine()).root(), context.choices().lock_timeout, repair);
  team::Table table(context.out(), {"FILE", "STATE", "PROBLEM"});
  std::size_t open = 0;
  for (const team::Finding& finding : findings) {
    if (!finding.mended) ++open;
    if (context.json()) {
      context.out().line(to_line(finding));
      continue;
    }
    const team::Cell state = finding.mended ? team::Cell{"mended", Tone::good} : team::Cell{"open", Tone::bad};
    table.row({{finding.file}, state, {finding.problem}});
  }
  table.finish();
  if (open > 0)
    team::fail(team::Code::corrupt, "{} problem{} in '{}'", open, open == 1 ? "" : "s", context.engine().place());
  return team::Exit::done;
}

}  // namespace

int team_fsck(int argc, char** argv) {
  bool repair = false;
  team::Command command("team-fsck", "check the files of the store, and repair them", "[options]");
  command.flag("--repair", repair, "repair problems if that loses no data");
  command.takes_json();
  command.takes_lock();
  command.example("team-fsck");
  command.example("team-fsck --repair");
  return command.run(argc, argv, [&](team::Context& context) {
    return check(context, repair ? team::Repair::yes : team::Repair::no);
  });
}
