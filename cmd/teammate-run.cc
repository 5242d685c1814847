// teammate-run - be a teammate: wake, claim, work, report, shut down

#include <filesystem>

#include "libteam/agent/exec_driver.h"
#include "libteam/agent/teammate.h"
#include "libteam/base/text.h"
#include "libteam/cli/command.h"
#include "libteam/cli/console.h"
#include "libteam/cli/input.h"
#include "libteam/record/role.h"
#include "libteam/system/id.h"

namespace {

struct Options {
  std::string name;
  std::optional<std::string> exec;
  std::optional<std::int64_t> retries;
  std::optional<double> time_limit;
  bool no_auto_claim = false;
  team::TeammateOptions teammate;
};

team::RoleSpec spec_of(const team::Team& team, const std::optional<std::string>& role) {
  const team::Role* found = role ? team.find_role(*role) : nullptr;
  return found != nullptr ? team::parse_role(*found, "config.json") : team::RoleSpec{};
}

// What the command line says, else the role.
void complete(Options& options, const team::RoleSpec& role) {
  if (!options.exec) options.exec = role.command;
  if (!options.exec || options.exec->empty()) {
    team::fail(team::Code::usage, "what does {} run? --exec COMMAND, or a role that has a command", options.name);
  }
  team::TeammateOptions& teammate = options.teammate;
  teammate.retries = options.retries.value_or(role.retries.value_or(teammate.retries));
  if (!options.time_limit) options.time_limit = role.time_limit;
  if (!teammate.idle_timeout) teammate.idle_timeout = role.idle_timeout;
  teammate.plan = teammate.plan || role.plan;
  teammate.auto_claim = !options.no_auto_claim;
  teammate.role_prompt = role.prompt;
}

// How to start it again: what was said, without what is done once.
team::Start start_of(const Options& given, const std::string& root) {
  team::Start start;
  start.directory = std::filesystem::current_path();
  if (std::filesystem::equivalent(start.directory, root)) start.directory.clear();  // wherever the root is then
  start.mode = team::environment_variable("TEAM_START_MODE").value_or("foreground");
  const auto add = [&](const char* option, const auto& value) {
    if (value) start.arguments.insert(start.arguments.end(), {option, fmt::format("{}", *value)});
  };
  add("--role", given.teammate.role);
  add("--exec", given.exec);
  add("--retries", given.retries);
  add("--time-limit", given.time_limit);
  add("--idle-timeout", given.teammate.idle_timeout);
  if (given.teammate.plan) start.arguments.emplace_back("--plan");
  if (given.teammate.until_done) start.arguments.emplace_back("--until-done");
  if (given.no_auto_claim) start.arguments.emplace_back("--no-auto-claim");
  return start;
}

team::ExecDriver::Environment environment_of(team::Context& context, const team::Actor& self) {
  const std::string path = team::environment_variable("PATH").value_or("/usr/bin:/bin");
  return {{"TEAM_ROOT", context.root().path()},
          {"TEAM_NAME", context.team().name},
          {"TEAM_MEMBER", self.name},
          {"TEAM_RUN_ID", self.run},
          {"PATH", team::own_folder() + ":" + path},
          {"TEAM_DETACHED", std::nullopt},
          {"TEAM_START_MODE", std::nullopt}};
}

team::Exit run(team::Context& context, Options& options) {
  const team::Team& team = context.team();
  if (context.actor().name != options.name) context.require_lead("start a teammate");
  if (!team::is_name(options.name)) team::fail(team::Code::usage, "'{}' is not a name", team::one_line(options.name));
  team::read_if_dash(options.teammate.prompt);
  const team::Member* member = team.find(options.name);
  auto& role = options.teammate.role;
  if (member != nullptr && role && role != member->role) {
    team::fail(team::Code::conflict, "{} is in team {} already, with role {}", options.name, team.name,
               member->role.value_or("-"));
  }
  if (member != nullptr) role = member->role;
  options.teammate.start = start_of(options, context.root().path());
  complete(options, spec_of(team, role));

  team::Actor self{.name = options.name, .role = role, .run = team::new_id(), .leads = false};
  team::Workplace place(context.root(), team.name, self, context.choices().lock_timeout);
  const team::Signals signals;
  team::ExecDriver driver(*options.exec, environment_of(context, self), options.time_limit, signals);
  const team::Console console;
  team::Audience audience{[&](std::string_view line) { console.note(line); },
                          [&](std::string_view text) { console.out(text); },
                          [&](std::string_view text) { console.err(text); },
                          {}};
  team::Teammate teammate(place, options.teammate, driver, signals, std::move(audience));
  return static_cast<team::Exit>(teammate.run());
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  team::TeammateOptions& teammate = options.teammate;
  team::Command command("teammate-run", "be a teammate: wake, claim, work, report, shut down", "[options] NAME");
  command.operand("NAME", options.name, "who it is; joins the team if it is not in it");
  command.option("--exec COMMAND", options.exec, "run by sh for each piece of work; the prompt is on its stdin");
  command.option("--role ROLE", teammate.role, "the role to join with; it may bring the command");
  command.option("--prompt TEXT", teammate.prompt, "the first piece of work; - reads it from stdin");
  command.option("--task ID", teammate.task, "take this task first, or do not start at all");
  command.flag("--once", teammate.once, "end after one piece of work; exit 1 if it was not done");
  command.flag("--until-done", teammate.until_done, "end when the board has nothing left for it, now or later");
  command.seconds("--idle-timeout SECONDS", teammate.idle_timeout, "end after idling for so long (else never)");
  command.flag("--no-auto-claim", options.no_auto_claim, "take no tasks, only messages");
  command.option("--retries N", options.retries, "how often a failed task is tried again (2)");
  command.seconds("--time-limit SECONDS", options.time_limit, "for each piece of work (else none)");
  command.flag("--plan", teammate.plan, "each task needs a plan that the lead approves");
  command.takes_team();
  command.takes_lock();
  command.example("teammate-run backend --exec 'claude -p'");
  command.example("teammate-run tests --role tester --exec 'make -s \"check-$TASK_ID\"' --until-done");
  return command.run(argc, argv, [&](team::Context& context) { return run(context, options); });
}
