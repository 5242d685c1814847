// team-finish - end the run of a team

#include "libteam/agent/shutdown.h"
#include "libteam/base/clock.h"
#include "libteam/base/text.h"
#include "libteam/cli/command.h"
#include "libteam/cli/input.h"

namespace {

struct Options {
  std::optional<std::string> summary;
  std::optional<double> timeout;
  bool force = false;
};

void check_done(team::Context& context) {
  std::vector<std::string> open;
  const auto broken = [&](team::TaskId id, const team::Error&) { open.push_back(std::to_string(id)); };
  for (const auto& [id, outline] : context.board().view().outline(broken)) {
    if (!team::has_ended(outline.status)) open.push_back(std::to_string(id));
  }
  if (open.empty()) return;
  constexpr std::size_t kShown = 5;
  const std::size_t count = open.size();
  if (count > kShown) open.resize(kShown);
  team::fail(team::Code::invalid_state, "{} task{} not ended: {}{}; --force finishes all the same", count,
             count == 1 ? " has" : "s have", team::join(open, ", "), count > kShown ? ", ..." : "");
}

team::Exit finish(team::Context& context, Options& options) {
  context.require_lead("finish the team");
  team::read_if_dash(options.summary);
  if (!options.force) check_done(context);
  team::Workplace place(context.root(), context.team().name, context.actor(), context.choices().lock_timeout);
  context.changes();
  constexpr double kPatience = 60;
  const auto insist = options.force ? team::Insist::yes : team::Insist::no;
  bool all = true;
  for (const auto& one :
       team::stop_teammates(place, team::running_teammates(place), options.timeout.value_or(kPatience), insist)) {
    const bool runs = team::runs_on(one);
    all = all && !runs;
    if (runs) team::no(context, team::describe(one));
  }
  if (!all) return team::Exit::no;
  context.roster().change(context.team().name, [&](team::Team& team) {
    team.finished_at = team::now();
    if (options.summary) team.summary = options.summary;
  });
  context.made();
  context.mail().record(context.actor(),
                        {team::make_event("TEAM_FINISHED", {{"summary", options.summary.value_or("")}})});
  return team::Exit::done;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  team::Command command("team-finish", "end the run of a team", "[options]");
  command.option("--summary TEXT", options.summary, "what it did, kept with the team; - reads it from stdin");
  command.flag("--force", options.force, "though tasks are open; teammates that do not end are killed");
  command.seconds("--timeout SECONDS", options.timeout, "how long to wait for the teammates to end (60)");
  command.takes_all();
  command.example("team-finish --summary 'All endpoints moved, tests pass'");
  return command.run(argc, argv, [&](team::Context& context) { return finish(context, options); });
}
