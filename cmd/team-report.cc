// team-report - write an HTML report about a team

#include "libteam/cli/command.h"
#include "libteam/record/history_builder.h"
#include "libteam/report/graph_reading.h"
#include "libteam/report/report_page.h"
#include "libteam/store/status.h"

namespace {

struct Options {
  std::optional<std::string> picture;
};

std::vector<team::MemberNow> members_now(team::Context& context) {
  std::vector<team::MemberNow> members;
  for (const team::Member& member : context.team().members) {
    const team::Life life = context.engine().life_of(context.team().name, member.name);
    members.push_back({member.name, std::nullopt});
    if (life != team::Life::unknown) members.back().lives = life == team::Life::running;
  }
  return members;
}

// Reads the log before the board, so that the tasks on the board are never older than the log.
team::Report read(team::Context& context) {
  team::HistoryBuilder builder;
  std::size_t strange = 0;
  context.mail().events().each_after(0, [&](std::string_view line) {
    const auto envelope = team::find_envelope(line);
    if (envelope) builder.add(*envelope);
    else ++strange;
    return true;
  });
  if (strange == 1) team::warn("events.jsonl: 1 line is no event and was left out");
  if (strange > 1) team::warn(fmt::format("events.jsonl: {} lines are no events and were left out", strange));
  std::vector<team::Failure> failures;
  team::TaskGraph board = team::read_graph(context.board().view(), [&](const team::Task& task) {
    if (task.status != team::Status::failed) return;
    failures.push_back({task.id, task.subject, task.owner, task.attempts, task.error});
  });
  team::TeamStatus status =
      team::look_at_team(context.mail().engine(), context.team(), context.board().view(), [](auto, const auto&) {});
  team::History history = std::move(builder).close(board, members_now(context), team::now());
  return {context.team(), std::move(status), std::move(board), std::move(failures), std::move(history)};
}

team::Exit report(team::Context& context, const Options& options) {
  if (options.picture && *options.picture != "timeline" && *options.picture != "graph") {
    team::fail(team::Code::usage, "--svg: '{}' is neither timeline nor graph", *options.picture);
  }
  const team::Report report = read(context);
  if (!options.picture) print_page(context.out(), report);
  else if (*options.picture == "graph") print_graph(context.out(), report);
  else print_timeline(context.out(), report);
  return team::Exit::done;
}

}  // namespace

int team_report(int argc, char** argv) {
  Options options;
  team::Command command("team-report", "write an HTML report about a team", "[options]");
  command.option("--svg PICTURE", options.picture, "print only this picture: timeline or graph");
  command.takes_team();
  command.example("team-report >report.html");
  command.example("team-report --svg timeline >timeline.svg");
  return command.run(argc, argv, [&](team::Context& context) { return report(context, options); });
}
