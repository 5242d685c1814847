// team-report - write an HTML report about a team

#include "libteam/cli/command.h"
#include "libteam/cli/task_output.h"
#include "libteam/report/report_reading.h"

namespace {

struct Options {
  std::optional<std::string> picture;
};

void warn_of_lines(const std::string& log, std::size_t count) {
  if (count == 1) team::warn(log + ": 1 line is no event and was left out");
  else team::warn(fmt::format("{}: {} lines are no events and were left out", log, count));
}

team::Exit report(team::Context& context, const Options& options) {
  if (options.picture && *options.picture != "timeline" && *options.picture != "graph") {
    team::fail(team::Code::usage, "--svg: '{}' is neither timeline nor graph", *options.picture);
  }
  const auto not_events = [&](std::size_t count) { warn_of_lines(context.session().mail().events().place(), count); };
  const team::Report report = team::read_report(context.engine(), context.team(), context.session().mail(),
                                                context.session().board().view(), {team::warn_of_broken, not_events});
  team::Output& out = context.out();
  if (!options.picture) print_page(out, report);
  else if (*options.picture == "graph") out.text(team::graph_document(report.board, report.history.critical_path));
  else out.text(team::timeline_document(report.history));
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
