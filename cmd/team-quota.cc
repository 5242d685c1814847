// team-quota - list, end or begin the pauses of quotas

#include "libteam/base/terminal_text.h"
#include "libteam/base/time_text.h"
#include "libteam/cli/command.h"

namespace {

struct Options {
  std::optional<std::string> clear, pause, reason;
  std::optional<double> seconds;
};

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

team::Exit list(team::Context& context) {
  const auto pauses = team::pauses_in_force(context.session().mail().engine());
  if (context.json()) {
    for (const team::QuotaPause& pause : pauses) context.out().line(to_line(pause));
  } else {
    team::Table table(context.out(), {"QUOTA", "UNTIL", "BY", "REASON"});
    for (const team::QuotaPause& pause : pauses) {
      table.row({{team::one_line(pause.quota)},
                 {pause.until > 0 ? team::date_and_time(pause.until) : "-"},
                 {or_dash(pause.by)},
                 {or_dash(team::one_line(pause.reason))}});
    }
    table.finish();
  }
  return pauses.empty() ? team::Exit::no : team::Exit::done;
}

team::Exit run(team::Context& context, const Options& options) {
  context.team();
  const team::TeamSession& session = context.session();
  if (options.pause && !options.seconds) team::fail(team::Code::usage, "--pause needs --for SECONDS");
  if (!options.pause && (options.seconds || options.reason)) {
    team::fail(team::Code::usage, "--for and --reason are for --pause");
  }
  if (!options.clear && !options.pause) return list(context);
  context.changes();
  if (options.clear) session.quotas().end(*options.clear);
  else session.quotas().begin(*options.pause, *options.seconds, options.reason);
  return team::Exit::done;
}

}  // namespace

int team_quota(int argc, char** argv) {
  Options options;
  team::Command command("team-quota", "list, end or begin the pauses of quotas", "[options]");
  command.option("--clear QUOTA", options.clear, "end the pause: its members work again at once");
  command.option("--pause QUOTA", options.pause, "pause all members with this quota");
  command.seconds("--for SECONDS", options.seconds, "with --pause: how long");
  command.option("--reason TEXT", options.reason, "with --pause: why");
  command.at_most_one({"--clear", "--pause"});
  command.takes_team();
  command.takes_actor();
  command.takes_json();
  command.takes_lock();
  command.example("team-quota --clear claude");
  return command.run(argc, argv, [&](team::Context& context) { return run(context, options); });
}
