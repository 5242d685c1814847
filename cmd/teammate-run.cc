// teammate-run - run a teammate in the foreground

#include <filesystem>

#include "libteam/agent/life/exec_driver.h"
#include "libteam/agent/life/teammate.h"
#include "libteam/agent/model/model_agent.h"
#include "libteam/base/environment_variable.h"
#include "libteam/base/name.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/cli/command.h"
#include "libteam/cli/console.h"
#include "libteam/cli/input.h"
#include "libteam/cli/model_options.h"
#include "libteam/record/role.h"
#include "libteam/system/environment.h"
#include "libteam/system/id.h"
#include "libteam/system/keys.h"

namespace {

struct Options {
  std::string name;
  std::optional<std::string> exec, clean_env;
  std::optional<std::int64_t> retries;
  std::optional<double> time_limit;
  bool no_auto_claim = false;
  bool quiet = false;
  team::ModelChoice model;
  team::TeammateOptions teammate;
};

// Fills in the defaults of the role.
void complete(Options& options, const team::RoleSpec& role) {
  const bool asks_model = is_chosen(options.model);
  if (!options.exec && !asks_model) options.exec = role.command;
  if (!options.exec) team::complete(options.model, role);
  if ((!options.exec && !is_chosen(options.model)) || (options.exec && options.exec->empty())) {
    team::fail(team::Code::usage, "what does {} run? --exec COMMAND, --model MODEL, or a role that says it",
               options.name);
  }
  team::TeammateOptions& teammate = options.teammate;
  teammate.retries = options.retries.value_or(role.retries.value_or(teammate.retries));
  if (!options.time_limit) options.time_limit = role.time_limit;
  if (!teammate.idle_timeout) teammate.idle_timeout = role.idle_timeout;
  teammate.plan = teammate.plan || role.plan;
  teammate.auto_claim = !options.no_auto_claim;
  teammate.role_prompt = role.prompt;
}

// The changes to our environment for the programs of the teammate.
team::Variables environment_for(const Options& options, const team::RoleSpec& role) {
  auto names = role.clean_env;
  if (options.clean_env) names = team::split(*options.clean_env, ',');
  if (!names) return {};
  std::erase(*names, "");
  for (const std::string& name : *names) {
    if (team::is_variable_pattern(name)) continue;
    team::fail(team::Code::usage, "--clean-env: '{}' is not the name of a variable", team::one_line(name));
  }
  return team::clean_environment(std::move(*names));
}

// The arguments for a restart: the given options, without those that apply only once.
team::Start start_of(const Options& given, const std::string& root) {
  team::Start start;
  start.directory = std::filesystem::current_path();
  if (std::filesystem::equivalent(start.directory, root)) start.directory.clear();  // the root may have moved by then
  start.mode = team::environment_variable("TEAM_START_MODE").value_or("foreground");
  const auto add = [&](const char* option, const auto& value) {
    if (value) start.arguments.insert(start.arguments.end(), {option, fmt::format("{}", *value)});
  };
  add("--role", given.teammate.role);
  add("--exec", given.exec);
  add("--clean-env", given.clean_env);
  add("--retries", given.retries);
  add("--time-limit", given.time_limit);
  add("--idle-timeout", given.teammate.idle_timeout);
  add("--record", given.model.record);
  add("--replay", given.model.replay);
  add("--max-turns", given.model.most_turns);
  add("--budget", given.model.budget);
  const auto model = team::arguments_of(given.model);
  start.arguments.insert(start.arguments.end(), model.begin(), model.end());
  for (const std::string& folder : given.model.allowed)
    start.arguments.insert(start.arguments.end(), {"--allow", folder});
  if (given.teammate.plan) start.arguments.emplace_back("--plan");
  if (given.teammate.until_done) start.arguments.emplace_back("--until-done");
  if (given.no_auto_claim) start.arguments.emplace_back("--no-auto-claim");
  return start;
}

// A program of the user, or a model; owns whichever of the two is in use.
struct Worker {
  std::optional<team::ExecDriver> program;
  std::optional<team::ModelAgent> agent;
  team::Driver& driver() { return program ? static_cast<team::Driver&>(*program) : agent->driver(); }
};

void employ(Worker& worker, team::TeamSession& session, const Options& options, const team::RoleSpec& role,
            const team::Signals& signals) {
  team::Variables environment = environment_for(options, role);
  if (options.exec) {
    for (auto& variable : session.environment()) environment.push_back(std::move(variable));
    worker.program.emplace(*options.exec, std::move(environment), options.time_limit, signals);
    return;
  }
  team::ModelPart part;
  part.role_prompt = role.prompt;
  part.tools = role.tools;
  part.time_limit = options.time_limit;
  part.environment = std::move(environment);
  part.keys = team::put_keys_away();
  worker.agent.emplace(session, signals, options.model, part);
}

team::Exit run(team::Context& context, Options& options) {
  team::adopt_environment();
  const team::Team& team = context.team();
  if (context.actor().name != options.name) context.require_lead("start a teammate");
  if (!team::is_name(options.name)) team::fail(team::Code::usage, "'{}' is not a name", team::one_line(options.name));
  team::read_if_dash(options.teammate.prompt);
  context.require_trust("teammate " + options.name);
  const team::Member* member = team.find(options.name);
  auto& role = options.teammate.role;
  if (member != nullptr && role && role != member->role) {
    team::fail(team::Code::conflict, "{} is in team {} already, with role {}", options.name, team.name,
               member->role.value_or("-"));
  }
  if (member != nullptr) role = member->role;
  options.teammate.start = start_of(options, context.root().path());
  const team::RoleSpec spec = spec_of(team, role);
  complete(options, spec);
  if (!options.exec) options.teammate.model = options.model.model.value_or("replay");

  team::Actor self{.name = options.name, .role = role, .run = team::new_id(), .leads = false};
  team::TeamSession session(context.root(), team.name, self, context.choices().lock_timeout);
  const team::Signals signals;
  Worker worker;
  employ(worker, session, options, spec, signals);
  const team::Console console;
  team::Audience audience;
  audience.note = [&](std::string_view line) {
    if (!options.quiet) console.note(line);
  };
  audience.out = [&](std::string_view text) { console.out(text); };
  audience.err = [&](std::string_view text) { console.err(text); };
  team::Teammate teammate(session, options.teammate, worker.driver(), signals, std::move(audience));
  return static_cast<team::Exit>(teammate.run());
}

}  // namespace

int teammate_run(int argc, char** argv) {
  Options options;
  team::TeammateOptions& teammate = options.teammate;
  team::Command command("teammate-run", "run a teammate in the foreground", "[options] NAME");
  command.operand("NAME", options.name, "the name of the teammate; it joins the team if needed");
  command.option("--exec COMMAND", options.exec, "run by sh for each piece of work, with the prompt on stdin");
  command.option("--clean-env NAMES", options.clean_env, "environment variables for its programs (a,b,C_*)");
  takes_model(command, options.model);
  takes_conversation(command, options.model);
  command.option("--role ROLE", teammate.role, "the role to join with; it may have a command or model");
  command.option("--prompt TEXT", teammate.prompt, "the first piece of work; - reads it from stdin");
  command.option("--task ID", teammate.task, "claim this task first, or do not start");
  command.flag("--once", teammate.once, "end after one piece of work; exit 1 if it failed");
  command.flag("--until-done", teammate.until_done, "end when the board has nothing left for it, now or later");
  command.seconds("--idle-timeout SECONDS", teammate.idle_timeout, "end after being idle this long (else never)");
  command.flag("--no-auto-claim", options.no_auto_claim, "claim no tasks, handle only messages");
  command.option("--retries N", options.retries, "how often failed work is retried (2)");
  command.seconds("--time-limit SECONDS", options.time_limit, "time limit for each piece of work (else none)");
  command.flag("--plan", teammate.plan, "each task needs a plan that the lead approves");
  command.flag("--quiet", options.quiet, "do not show its actions on stderr");
  command.at_most_one({"--exec", "--model", "--replay"});
  command.takes_team();
  command.takes_lock();
  command.example("teammate-run coder --model claude-sonnet-4-5");
  command.example("teammate-run backend --exec 'claude -p'");
  command.example("teammate-run tests --role tester --exec 'make \"check-$TASK_ID\"' --until-done");
  return command.run(argc, argv, [&](team::Context& context) { return run(context, options); });
}
