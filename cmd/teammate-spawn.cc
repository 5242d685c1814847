// teammate-spawn - start a new teammate in the background or in a tmux pane

#include "libteam/agent/life/spawn.h"
#include "libteam/base/environment_variable.h"
#include "libteam/base/terminal_text.h"
#include "libteam/cli/command.h"
#include "libteam/cli/input.h"
#include "libteam/cli/model_options.h"
#include "libteam/record/role.h"
#include "libteam/record/settings.h"

namespace {

struct Options {
  std::string role;
  std::optional<std::string> exec, acp, permissions, clean_env, prompt, mode;
  team::ModelChoice model;
  std::optional<team::TaskId> task;
  std::optional<std::int64_t> count;
  bool once = false, until_done = false, plan = false, tree = false;
};

// The arguments of teammate-run after the name.
std::vector<std::string> arguments_for(const Options& options) {
  std::vector<std::string> arguments;
  const auto add = [&](const char* name, const auto& value) {
    if (value) arguments.insert(arguments.end(), {name, fmt::format("{}", *value)});
  };
  add("--exec", options.exec);
  add("--acp", options.acp);
  add("--permissions", options.permissions);
  add("--clean-env", options.clean_env);
  const auto model = arguments_of(options.model);
  arguments.insert(arguments.end(), model.begin(), model.end());
  add("--prompt", options.prompt);
  add("--task", options.task);
  if (options.once) arguments.emplace_back("--once");
  if (options.until_done) arguments.emplace_back("--until-done");
  if (options.tree) arguments.emplace_back("--tree");
  if (options.plan) arguments.emplace_back("--plan");
  return arguments;
}

// Throws before anything is created if there is nothing to run.
void check_role(const team::Team& team, const Options& options) {
  const team::RoleSpec spec = team::spec_of(team, options.role);
  if (options.exec || options.acp || options.model.model) return;
  if (team.find_role(options.role) == nullptr) {
    team::fail(team::Code::not_found,
               "no role '{}' in team {}; team-create --role makes one, or give --exec, --acp or --model",
               team::one_line(options.role), team.name);
  }
  if (!spec.command && !spec.acp && !spec.model && !team::environment_variable("TEAM_MODEL")) {
    team::fail(team::Code::usage, "role {} has no command, no agent and no model; give --exec, --acp or --model",
               options.role);
  }
}

team::Exit spawn(team::Context& context, Options& options) {
  team::check_enabled();
  context.require_lead("start a teammate");
  team::read_if_dash(options.prompt);
  check_role(context.team(), options);
  if (options.count == 0) team::fail(team::Code::usage, "--count is 1 or more");
  context.require_trust("role " + options.role);
  team::TeamSession session(context.engine(), context.team().name, context.actor());
  const auto mode =
      team::choose_mode(options.mode.value_or(team::setting(context.team(), "teammate.mode")), team::warn);
  team::Spawner spawner(session, mode, team::warn);
  context.changes();
  const auto names = spawner.recruit({options.role, options.role, options.count.value_or(1), false});
  spawner.start_all(names, arguments_for(options), [&](const std::string& name) {
    context.out().line(context.json() ? fmt::format(R"({{"name":"{}"}})", name) : name);
    context.out().flush();
    context.made();
  });
  if (const std::string how = spawner.how_to_attach(); !how.empty()) team::warn("to see it: " + how);
  return team::Exit::done;
}

}  // namespace

int teammate_spawn(int argc, char** argv) {
  Options options;
  team::Command command("teammate-spawn", "start a new teammate in the background or in a tmux pane", "[options] ROLE");
  command.operand("ROLE", options.role, "its role; the names are ROLE-1, ROLE-2, ...");
  command.option("--exec COMMAND", options.exec, "its command (else the command of the role)");
  command.option("--acp COMMAND", options.acp, "its agent, which speaks the Agent Client Protocol");
  command.option("--permissions RULES", options.permissions, "of the agent: allow, reject, ask, or execute=ask,...");
  command.option("--clean-env NAMES", options.clean_env, "environment variables for its programs (a,b,C_*)");
  takes_model(command, options.model);
  command.option("--prompt TEXT", options.prompt, "its first piece of work; - reads it from stdin");
  command.option("--task ID", options.task, "the task that it claims first");
  command.option("--mode MODE", options.mode, "auto, background or tmux (else the setting teammate.mode)");
  command.option("--count N", options.count, "start this many teammates (1)");
  command.flag("--once", options.once, "end after one piece of work");
  command.flag("--until-done", options.until_done, "end when the board has nothing left for it");
  command.flag("--tree", options.tree, "it works in an own checkout of the repository");
  command.flag("--plan", options.plan, "each of its tasks needs a plan that the lead approves");
  command.at_most_one({"--task", "--count"});
  command.at_most_one({"--exec", "--acp", "--model"});
  command.takes_all();
  command.example("teammate-spawn coder --count 3");
  command.example("teammate-spawn tester --exec './run-tests' --mode tmux");
  return command.run(argc, argv, [&](team::Context& context) { return spawn(context, options); });
}
