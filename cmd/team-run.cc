// team-run - run a model as the lead until it reaches a goal

#include "libteam/agent/life/team_recording.h"
#include "libteam/agent/model/lead.h"
#include "libteam/agent/model/model_agent.h"
#include "libteam/base/terminal_text.h"
#include "libteam/cli/command.h"
#include "libteam/cli/console.h"
#include "libteam/cli/event_output.h"
#include "libteam/cli/input.h"
#include "libteam/cli/model_options.h"
#include "libteam/cli/progress.h"
#include "libteam/cli/team_start.h"
#include "libteam/record/settings.h"
#include "libteam/store/spending.h"
#include "libteam/system/id.h"
#include "libteam/view/typing.h"

namespace {

struct Options {
  std::optional<std::string> mode;
  std::vector<std::string> roles;
  std::optional<double> deadline;
  bool stream = false;
  team::LeadOptions lead;
};

// Checks all input of the user. Then it creates the team if there is none, or reopens a finished one.
team::Team prepare_team(team::Context& context, Options& options) {
  team::Team team = team::find_or_plan_team(context, "team");
  team::check_starter(context, team, "run the lead");
  const std::vector<team::Role> roles = team::read_roles(options.roles);
  const team::Budget budget = team::budget_from(options.lead.model.budget);
  for (const team::Role& role : roles) team::put_role(team, role);
  team::LeadOptions& lead = options.lead;
  team::read_if_dash(lead.goal);
  complete(lead, team);
  lead.recording = team::open_recording(lead.model);
  if (options.deadline) lead.deadline = team::Deadline::in(*options.deadline);
  lead.mode = team::choose_mode(options.mode.value_or(team::setting(team, "teammate.mode")), team::warn);
  lead.warn = team::warn;
  if (team.created_at != 0) context.require_trust("the lead");
  const bool runs = team.created_at != 0 && context.engine().life_of(team.name, team.lead) == team::Life::running;
  if (runs) team::fail(team::Code::conflict, "{} is running already", team.lead);
  context.changes();
  if (team.created_at == 0) {
    make_team(context, team);
    context.made();
  }
  context.session().prepare_run(roles, budget);
  return context.team();
}

void tell_end(team::Context& context, const Options& options, const team::TeamSession& desk, const team::LeadEnd& end) {
  if (const auto used = team::describe_spending(desk)) team::warn(*used);
  if (const auto failure = team::describe_failure(end)) team::warn(*failure);
  else if (!options.stream) context.out().line(team::printable(end.summary));
  if (const auto unread = desk.messages().unread(); unread > 0)
    team::warn(fmt::format("{} message{} for you: team-recv", unread, unread == 1 ? "" : "s"));
}

team::Exit run(team::Context& context, Options& options) {
  team::check_enabled();
  const team::Team config = prepare_team(context, options);
  const team::Actor self{.name = config.lead, .role = {}, .run = team::new_id(), .leads = true};
  team::TeamSession session(context.engine(), config.name, self);
  team::TeamSession desk(context.engine(), config.name, team::Actor{});
  const team::Signals signals;
  const team::Console console;
  options.lead.keys = team::put_keys_away();  // before any thread starts
  std::optional<team::Typing> typing;
  if (team::is_interactive()) {
    typing.emplace([&](const std::string& line) { team::send_typed(desk, line); });
    options.lead.waits = [&] { return typing->goes_on(); };
    options.lead.waker = typing->end_fd();
  }
  team::Progress progress(context.engine(), &config, team::Progress::Ending::by_itself);
  progress.hide();
  team::Audience audience;
  audience.note = [&](std::string_view line) { console.note(line); };
  audience.become = [&](team::State state) { is_idle(state) ? progress.show() : progress.hide(); };
  audience.out = audience.err = [&](std::string_view text) {
    if (!options.stream) console.err(text);
  };
  context.changes();
  team::LeadEnd end;
  const auto form = options.stream ? team::EventPrinter::Form::json : team::EventPrinter::Form::news;
  team::EventPrinter printer(form, config.lead, console, progress);
  {
    const team::EventFollower follower([&] { return context.engine().open_team(config); },
                                       [&](std::string_view line) { return printer.print(line); });
    end = team::run_lead(session, options.lead, signals, audience);
  }
  progress.hide();
  tell_end(context, options, desk, end);
  printer.check();
  return static_cast<team::Exit>(end.status);
}

}  // namespace

int team_run(int argc, char** argv) {
  Options options;
  team::Command command("team-run", "run a model as the lead until it reaches a goal", "[options] [GOAL]");
  command.operand("[GOAL]", options.lead.goal, "the goal; - reads it from stdin; without one, continue");
  takes_model(command, options.lead.model);
  takes_conversation(command, options.lead.model);
  command.option("--role NAME=FILE", options.roles, "a role: a JSON object, or text that is its prompt (repeatable)");
  command.flag("--delegate", options.lead.delegates, "the lead only coordinates: no file tools, no commands");
  command.seconds("--deadline SECONDS", options.deadline, "end after this time");
  command.option("--mode MODE", options.mode, "auto, background or tmux for teammates (else teammate.mode)");
  command.flag("--stream", options.stream, "print the events of the team, one JSON object per line");
  command.makes_store();
  command.takes_team();
  command.takes_lock();
  command.example("team-run 'Move the service from REST to GraphQL' --model claude-sonnet-4-5");
  command.example("team-run --stream - --deadline 1h <goal.md | jq -c .event");
  return command.run(argc, argv, [&](team::Context& context) { return run(context, options); });
}
