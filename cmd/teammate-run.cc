// teammate-run - run a teammate in the foreground

#include "libteam/agent/acp/acp_choice.h"
#include "libteam/agent/life/exec_driver.h"
#include "libteam/agent/life/teammate.h"
#include "libteam/agent/life/teammate_choice.h"
#include "libteam/agent/life/work_folder.h"
#include "libteam/agent/model/model_agent.h"
#include "libteam/cli/command.h"
#include "libteam/cli/console.h"
#include "libteam/cli/input.h"
#include "libteam/cli/model_options.h"
#include "libteam/system/id.h"
#include "libteam/system/keys.h"

namespace {

struct Options {
  team::TeammateChoice choice;
  bool quiet = false;
};

// A program of the user, an agent of others, or a model; owns whichever of them is in use.
struct Worker {
  std::optional<team::ExecDriver> program;
  std::optional<team::AcpDriver> guest;
  std::optional<team::ModelAgent> agent;
  team::Driver& driver() {
    if (guest) return *guest;
    return program ? static_cast<team::Driver&>(*program) : agent->driver();
  }
};

void employ(Worker& worker, team::TeamSession& session, const team::TeammateChoice& choice, const team::RoleSpec& role,
            const team::Signals& signals) {
  team::Variables environment = environment_for(choice, role);
  if (choice.acp) {
    worker.guest.emplace(acp_rules_for(choice, role, session, std::move(environment)), last_session_of(session),
                         signals);
    return;
  }
  if (choice.exec) {
    for (auto& variable : session.environment()) environment.push_back(std::move(variable));
    worker.program.emplace(*choice.exec, std::move(environment), choice.time_limit,
                           limit_texts_for(choice, session.team()), signals);
    return;
  }
  team::ModelPart part;
  part.role_prompt = role.prompt;
  part.tools = role.tools;
  part.time_limit = choice.time_limit;
  part.environment = std::move(environment);
  part.keys = team::put_keys_away();
  part.order = choice.options.order;
  worker.agent.emplace(session, signals, choice.model, part);
}

// Takes over the role that the member has already.
void take_role(team::TeammateChoice& choice, const team::Team& team) {
  const team::Member* member = team.find(choice.name);
  if (member == nullptr) return;
  auto& role = choice.options.role;
  if (role && role != member->role) {
    team::fail(team::Code::conflict, "{} is in team {} already, with role {}", choice.name, team.name,
               member->role.value_or("-"));
  }
  role = member->role;
}

team::Exit run(team::Context& context, Options& options) {
  team::adopt_environment();
  team::TeammateChoice& choice = options.choice;
  const team::Team team = context.team();
  if (context.actor().name != choice.name) context.require_lead("start a teammate");
  team::read_if_dash(choice.options.prompt);
  context.require_trust("teammate " + choice.name);
  take_role(choice, team);
  choice.options.start = start_of(choice, context.engine().place());
  const team::RoleSpec spec = spec_of(team, choice.options.role);
  complete(choice, spec);

  const team::Actor self{.name = choice.name, .role = choice.options.role, .run = team::new_id(), .leads = false};
  const auto tree = enter_tree(choice, spec, team::TeamSession(context.engine(), team.name, self));
  if (tree) context.reopen();
  choice.options.tree = tree.get();
  team::TeamSession session(context.engine(), team.name, self);
  const team::Signals signals;
  const auto order = make_order(choice.recording, session, signals);
  choice.options.order = order.get();
  Worker worker;
  employ(worker, session, choice, spec, signals);
  const team::Console console;
  team::Audience audience;
  audience.note = [&](std::string_view line) {
    if (!options.quiet) console.note(line);
  };
  audience.out = [&](std::string_view text) { console.out(text); };
  audience.err = [&](std::string_view text) { console.err(text); };
  team::Teammate teammate(session, choice.options, worker.driver(), signals, std::move(audience));
  return static_cast<team::Exit>(teammate.run());
}

}  // namespace

int teammate_run(int argc, char** argv) {
  Options options;
  team::TeammateChoice& choice = options.choice;
  team::TeammateOptions& teammate = choice.options;
  team::Command command("teammate-run", "run a teammate in the foreground", "[options] NAME");
  command.operand("NAME", choice.name, "the name of the teammate; it joins the team if needed");
  command.option("--exec COMMAND", choice.exec, "run by sh for each piece of work, with the prompt on stdin");
  command.option("--acp COMMAND", choice.acp, "an agent that speaks the Agent Client Protocol, run by sh");
  command.option("--permissions RULES", choice.permissions, "of the agent: allow, reject, ask, or execute=ask,...");
  command.option("--clean-env NAMES", choice.clean_env, "environment variables for its programs (a,b,C_*)");
  takes_model(command, choice.model);
  takes_conversation(command, choice.model);
  command.option("--role ROLE", teammate.role, "the role to join with; it may have a command or model");
  command.option("--prompt TEXT", teammate.prompt, "the first piece of work; - reads it from stdin");
  command.option("--task ID", teammate.task, "claim this task first, or do not start");
  command.flag("--once", teammate.once, "end after one piece of work; exit 1 if it failed");
  command.flag("--until-done", teammate.until_done, "end when the board has nothing left for it, now or later");
  command.seconds("--idle-timeout SECONDS", teammate.idle_timeout, "end after being idle this long (else never)");
  command.flag("--no-auto-claim", choice.no_auto_claim, "claim no tasks, handle only messages");
  command.option("--retries N", choice.retries, "how often failed work is retried (2)");
  command.seconds("--time-limit SECONDS", choice.time_limit, "time limit for each piece of work (else none)");
  command.flag("--tree", choice.tree, "work in an own checkout of the repository, and land there");
  command.flag("--plan", teammate.plan, "each task needs a plan that the lead approves");
  command.flag("--quiet", options.quiet, "do not show its actions on stderr");
  command.at_most_one({"--exec", "--acp", "--model", "--replay"});
  command.takes_team();
  command.takes_lock();
  command.example("teammate-run coder --model claude-sonnet-4-5");
  command.example("teammate-run backend --exec 'claude -p'");
  command.example("teammate-run coder --acp claude-agent-acp --permissions execute=ask");
  command.example("teammate-run tests --role tester --exec 'make \"check-$TASK_ID\"' --until-done");
  return command.run(argc, argv, [&](team::Context& context) { return run(context, options); });
}
