// team-status - show a team at a glance

#include "libteam/base/text.h"
#include "libteam/cli/command.h"
#include "libteam/cli/task_output.h"
#include "libteam/store/status.h"

namespace {

using Tone = team::Output::Tone;

Tone tone_of_state(const std::string& state) {
  if (state == "dead" || state == "error") return Tone::bad;
  if (state == "active") return Tone::busy;
  return state == "idle" || state == "running" ? Tone::good : Tone::faint;
}

void print_members(team::Context& context, const team::TeamStatus& status) {
  team::Table table(context.out(), {"MEMBER", "ROLE", "STATE", "TASK", "USED", "SUBJECT"});
  for (const team::MemberStatus& member : status.members) {
    const std::int64_t used = total(member.usage);
    table.row({{member.name},
               {member.role.value_or("-")},
               {member.state, tone_of_state(member.state)},
               {member.task ? std::to_string(*member.task) : "-"},
               {used > 0 ? team::describe_count(used) : "-"},
               {member.subject.empty() ? "-" : member.subject}});
  }
  table.finish();
}

void print_board(team::Context& context, const team::BoardStatus& tasks) {
  team::Table table(context.out(), {"TASKS", "COUNT"});
  table.row({{"ready"}, {std::to_string(tasks.ready)}});
  table.row({{"blocked", Tone::waiting}, {std::to_string(tasks.blocked)}});
  table.row({{"in_progress", Tone::busy}, {std::to_string(tasks.in_progress)}});
  table.row({{"completed", Tone::good}, {std::to_string(tasks.completed)}});
  table.row({{"failed", Tone::bad}, {std::to_string(tasks.failed)}});
  table.finish();
}

void print_usage(team::Context& context, const team::TeamStatus& status) {
  const team::Usage& usage = status.usage;
  if (total(usage) == 0) return;
  team::Table table(context.out(), {"USED", "COUNT"});
  table.row({{"input"}, {std::to_string(usage.input)}});
  table.row({{"output"}, {std::to_string(usage.output)}});
  table.row({{"cached"}, {std::to_string(usage.cache_read + usage.cache_written)}});
  if (status.cost) table.row({{"cost"}, {fmt::format("${:.4f}", *status.cost)}});
  table.finish();
}

team::Exit show(team::Context& context) {
  const auto status =
      team::look_at_team(context.roster(), context.team(), context.board().view(), team::warn_of_broken);
  if (context.json()) {
    context.out().line(to_line(status));
    return team::Exit::done;
  }
  if (context.out().is_terminal()) {
    context.out().line(context.out().paint(fmt::format("{}, led by {}", status.team, status.lead), Tone::strong));
  }
  print_members(context, status);
  print_board(context, status.tasks);
  print_usage(context, status);
  return team::Exit::done;
}

}  // namespace

int main(int argc, char** argv) {
  team::Command command("team-status", "show a team at a glance", "[options]");
  command.takes_team();
  command.takes_json();
  command.example("team-status");
  command.example("team-status --json | jq .tasks");
  return command.run(argc, argv, show);
}
