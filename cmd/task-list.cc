// task-list - list the tasks of the board

#include "libteam/base/name.h"
#include "libteam/base/terminal_text.h"
#include "libteam/cli/command.h"
#include "libteam/cli/task_output.h"

namespace {

team::Exit list(team::Context& context, const team::TaskFilter& filter) {
  if (filter.owner && !team::is_name(*filter.owner)) {
    team::fail(team::Code::usage, "--owner: '{}' is not a name", team::one_line(*filter.owner));
  }
  team::Table table(context.out(), team::task_headings());
  const auto detail = context.json() ? team::BoardView::Detail::everything : team::BoardView::Detail::open_blockers;
  context.session().view().each(
      filter, detail,
      [&](const team::SeenTask& seen) {
        if (context.json()) {
          context.out().line(to_line(seen.task, seen.standing));
        } else {
          table.row(team::task_row(seen));
        }
      },
      team::warn_of_broken);
  table.finish();
  return team::Exit::done;
}

}  // namespace

int task_list(int argc, char** argv) {
  team::TaskFilter filter;
  team::Command command("task-list", "list the tasks of the board", "[options]");
  command.option("--status STATUS", filter.statuses, "only this status: pending, in_progress, completed, failed");
  command.option("--owner NAME", filter.owner, "only tasks of this owner");
  command.flag("--ready", filter.ready, "only ready tasks");
  command.flag("--blocked", filter.blocked, "only blocked tasks");
  command.at_most_one({"--ready", "--blocked"});
  command.takes_team();
  command.takes_json();
  command.example("task-list --ready");
  command.example("task-list --status failed --json | jq -r '[.id, .error] | @tsv'");
  return command.run(argc, argv, [&](team::Context& context) { return list(context, filter); });
}
