// team-up - create and start a team from a file

#include "libteam/agent/life/shutdown.h"
#include "libteam/agent/life/spawn.h"
#include "libteam/agent/life/supervise.h"
#include "libteam/agent/life/team_recording.h"
#include "libteam/base/terminal_text.h"
#include "libteam/cli/command.h"
#include "libteam/cli/console.h"
#include "libteam/cli/input.h"
#include "libteam/cli/progress.h"
#include "libteam/cli/team_start.h"
#include "libteam/record/blueprint.h"
#include "libteam/record/settings.h"
#include "libteam/store/team_creation.h"

namespace {

struct Options {
  std::string file;
  std::optional<std::string> mode;
  bool wait = false;
  std::optional<double> timeout;
  team::ModelChoice recording;  // and the budget
};

void say(team::Context& context, const char* kind, const std::string& what) {
  context.out().line(fmt::format("{}\t{}", kind, what));
  context.out().flush();
}

// Creates the team with its members and its tasks, or nothing. No teammate runs yet: all are members before the first
// one starts, so that none of them finds an empty team.
std::vector<std::string> make(team::Context& context, team::Blueprint& plan) {
  team::Team& made = plan.team;
  auto names = team::add_teammates(made, plan.teammates);
  team::make_team(context, made);
  std::vector<team::TaskId> tasks;
  try {
    tasks = context.session().board().create(plan.tasks, context.actor());
  } catch (const team::Error&) {
    team::after_change([&] { team::delete_team(context.engine(), made.name); });
    throw;
  }
  context.made();
  context.session().membership().record_joined(names);
  say(context, "team", made.name);
  for (const team::TaskId id : tasks) say(context, "task", std::to_string(id));
  return names;
}

void start(team::Context& context, team::TeamSession& session, team::SpawnMode mode,
           const std::vector<std::string>& names, const team::TeamRecording& recording) {
  begin_recording(recording, session);
  team::Spawner spawner(session, mode, team::warn);
  for (const std::string& name : names) {
    spawner.start(name, arguments_of(recording), "");
    say(context, "teammate", name);
  }
  if (!spawner.how_to_attach().empty()) team::warn("to see it: " + spawner.how_to_attach());
}

// Waits until no task can progress, then stops all teammates. The exit status is the outcome.
team::Exit wait(team::Context& context, team::TeamSession& session, const Options& options,
                const team::TeamRecording& recording, const team::Signals& signals) {
  const team::Console console;
  team::Progress progress(context.engine(), &context.team(), team::Progress::Ending::by_itself);
  const auto deadline = options.timeout ? team::Deadline::in(*options.timeout) : team::Deadline::never();
  const auto end = team::await_end(session, deadline, signals,
                                   [&](std::string_view line) { say_beside(progress, [&] { console.note(line); }); });
  progress.hide();
  session.refresh();
  const double patience = end.kind == team::TeamEnd::Kind::over ? 30 : 0;
  for (const auto& one : team::stop_teammates(session, team::running_teammates(session), patience, team::Insist::yes)) {
    if (one.kind != team::Stopped::Kind::agreed) team::warn(team::describe(one));
  }
  if (const auto status = replay_status(recording, session, team::warn)) return static_cast<team::Exit>(*status);
  if (end.kind == team::TeamEnd::Kind::interrupted) return static_cast<team::Exit>(128 + end.signal);
  const auto missing = team::what_is_missing(session);
  for (const std::string& line : missing) team::no(context, line);
  team::check_budgets(session, missing);
  if (end.kind == team::TeamEnd::Kind::too_late) return team::no(context, "not done within --timeout");
  return missing.empty() ? team::Exit::done : team::Exit::no;
}

team::Exit up(team::Context& context, const Options& options) {
  team::check_enabled();
  if (options.timeout && !options.wait) team::fail(team::Code::usage, "--timeout is for --wait");
  team::Blueprint plan = team::parse_blueprint(team::read_user_file_or_input(options.file), options.file);
  for (const std::string& key : plan.ignored) {
    team::warn(fmt::format("warning: {}: key '{}' has no effect", options.file, team::one_line(key)));
  }
  team::set_budget(plan.team, team::budget_from(options.recording.budget));
  team::check_starter(context, plan.team, "start a team");
  const auto mode = team::choose_mode(options.mode.value_or(team::setting(plan.team, "teammate.mode")), team::warn);
  const auto recording = team::open_recording(options.recording);
  const auto names = make(context, plan);
  const auto signals = options.wait ? std::make_unique<team::Signals>() : nullptr;
  team::TeamSession session(context.engine(), plan.team.name, context.actor());
  start(context, session, mode, names, recording);
  return options.wait ? wait(context, session, options, recording, *signals) : team::Exit::done;
}

}  // namespace

int team_up(int argc, char** argv) {
  Options options;
  team::Command command("team-up", "create and start a team from a file", "[options] FILE");
  command.operand("FILE", options.file, "JSON with roles, teammates, tasks, settings; - is stdin");
  command.flag("--wait", options.wait, "wait until no task can progress; exit 1 unless all completed");
  command.seconds("--timeout SECONDS", options.timeout, "with --wait: give up after this time");
  command.option("--budget AMOUNT", options.recording.budget,
                 "pause the team when so much is used: 100k tokens, 2 USD, 1h");
  command.option("--mode MODE", options.mode, "auto, background or tmux (else the setting teammate.mode)");
  command.option("--record DIR", options.recording.record, "record the run of all teammates in this folder");
  command.option("--replay DIR", options.recording.replay, "replay the recorded run, without models");
  command.makes_store();
  command.takes_actor();
  command.takes_lock();
  command.example("team-up team.json --wait");
  return command.run(argc, argv, [&](team::Context& context) { return up(context, options); });
}
