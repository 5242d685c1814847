// teammate-list - list teammates and their states

#include "libteam/base/clock.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/time_text.h"
#include "libteam/cli/command.h"
#include "libteam/cli/tones.h"

namespace {

team::Exit list(team::Context& context) {
  team::Table table(context.out(), {"NAME", "ROLE", "STATE", "SINCE", "TASK", "PID", "REASON"});
  for (const team::MemberStatus& one : context.session().members()) {
    if (one.state == "lead") continue;
    if (context.json()) {
      context.out().line(to_line(one));
      continue;
    }
    table.row({{one.name},
               {one.role.value_or("-")},
               {one.state, team::tone_of_member(one.state)},
               {one.since ? team::describe_seconds(team::now() - *one.since) : "-"},
               {one.task ? std::to_string(*one.task) : "-"},
               {one.pid ? std::to_string(*one.pid) : "-"},
               {one.reason.empty() ? "-" : team::one_line(one.reason)}});
  }
  if (!context.json()) table.finish();
  return team::Exit::done;
}

}  // namespace

int teammate_list(int argc, char** argv) {
  team::Command command("teammate-list", "list teammates and their states", "[options]");
  command.takes_team();
  command.takes_json();
  command.example("teammate-list");
  command.example("teammate-list --json | jq -r 'select(.state == \"idle\").name'");
  return command.run(argc, argv, list);
}
