// plan-list - list plans and permissions, and their status

#include "libteam/base/text.h"
#include "libteam/cli/command.h"
#include "libteam/cli/task_output.h"
#include "libteam/cli/tones.h"

namespace {

team::Exit list(team::Context& context, bool all) {
  team::Table table(context.out(), {"PLAN", "STATUS", "FROM", "TASK", "TEXT"});
  const team::Requests& requests = context.session().mail().requests();
  for (const team::Request& request : all ? requests.all(team::warn_of) : requests.pending(team::warn_of)) {
    if (!is_for_approval(request.kind)) continue;
    if (context.json()) {
      context.out().line(to_line(request));
      continue;
    }
    table.row({{request.id},
               {std::string(name_of(request.status)), tone_of(request.status)},
               {request.from},
               {request.task ? std::to_string(*request.task) : "-"},
               {team::first_line(request.content)}});
  }
  table.finish();
  return team::Exit::done;
}

}  // namespace

int plan_list(int argc, char** argv) {
  bool all = false;
  team::Command command("plan-list", "list plans and permissions, and their status", "[options]");
  command.flag("--all", all, "print answered ones too");
  command.takes_team();
  command.takes_json();
  command.example("plan-list");
  command.example("plan-list --all --json | jq -r '[.id, .status, .feedback] | @tsv'");
  return command.run(argc, argv, [&](team::Context& context) { return list(context, all); });
}
