#include "libteam/agent/tools/lead_tools.h"

#include <algorithm>
#include <memory>
#include <set>

#include "libteam/agent/life/finish.h"
#include "libteam/agent/tools/bash_tool.h"
#include "libteam/agent/tools/skills.h"
#include "libteam/base/name.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"
#include "libteam/record/role.h"
#include "libteam/store/files/file_guard.h"
#include "libteam/store/life.h"
#include "libteam/system/program.h"

namespace team {

namespace {

constexpr std::size_t kMostOutput = 32 * 1024;
constexpr double kPatience = 60;  // seconds for teammates that are asked to end
constexpr const char* kItsAnswer = "What it answers to the prompt comes as a message.";

// The model of a started member: that of its role, else that of the lead. `model` is another one of the same service.
ModelChoice choose_model(const RoleSpec& spec, const std::optional<std::string>& model, const ModelChoice& of_lead) {
  if (!spec.model && !model) return of_lead;
  ModelChoice choice;
  choice.model = model ? model : spec.model;
  choice.provider = spec.provider;
  choice.base_url = spec.base_url;
  if (!spec.model && !spec.provider && of_lead.provider) choice.provider = of_lead.provider;
  // Another model of the lead's own service.
  if (!choice.base_url && provider_of(choice) == provider_of(of_lead)) {
    choice.base_url = of_lead.base_url;
    choice.api = of_lead.api;
  }
  return choice;
}

// The arguments of teammate-run besides the name.
std::vector<std::string> arguments_for(const Team& team, const std::optional<std::string>& role, const Arguments& given,
                                       const Recruiting& recruiting) {
  std::vector<std::string> arguments = {"--prompt", given.text("prompt")};
  const auto recording = arguments_of(recruiting.recording);
  arguments.insert(arguments.end(), recording.begin(), recording.end());
  const RoleSpec spec = spec_of(team, role);
  const auto wanted = given.find_text("model");
  if (wanted && is_blank(*wanted)) fail(Code::usage, "the name of the model is empty");
  const bool runs_command = spec.command || spec.acp;
  if (runs_command && wanted) fail(Code::usage, "role {} runs a command, so it has no model", role.value_or("-"));
  if (runs_command || recruiting.recording.replay) return arguments;
  const auto model = arguments_of(choose_model(spec, wanted, recruiting.model));
  arguments.insert(arguments.end(), model.begin(), model.end());
  return arguments;
}

bool wants_plans(const Arguments& arguments) { return arguments.flag("plan") || arguments.flag("plan_mode_required"); }

void check_team(const TeamSession& session, const Arguments& arguments, const char* key) {
  const auto name = arguments.find_text(key);
  if (name && *name != session.team().name) {
    fail(Code::not_found, "you lead team '{}', not '{}'", session.team().name, one_line(*name));
  }
}

// True if its tasks needed approved plans when it last ran: a restart must not bypass the gate.
bool was_gated(const TeamSession& session, const std::string& name) {
  const auto state = session.lives()->state_of(name);
  if (!state) return false;
  const auto& given = state->start.arguments;
  return std::find(given.begin(), given.end(), "--plan") != given.end();
}

ToolResult start_teammate(TeamSession& session, const Arguments& arguments, const Recruiting& recruiting) {
  const std::string name = arguments.text("name");
  auto role = arguments.find_text("role");
  Spawner spawner(session, recruiting.mode, recruiting.warn);
  spawner.give(recruiting.secrets);
  session.refresh();
  const Member* member = session.team().find(name);
  if (member != nullptr) {
    if (role && role != member->role) {
      fail(Code::conflict, "{} is in the team already, with role {}", name, member->role.value_or("-"));
    }
    role = member->role;
    auto line = arguments_for(session.team(), role, arguments, recruiting);
    if (wants_plans(arguments) || was_gated(session, name)) line.emplace_back("--plan");
    spawner.start(name, line, "");
    return {fmt::format("{} was started again and goes on with what it knows. {}", name, kItsAnswer)};
  }
  session.membership().join(name, role);
  session.refresh();
  auto line = arguments_for(session.team(), role, arguments, recruiting);
  if (wants_plans(arguments)) line.emplace_back("--plan");
  spawner.start_all({name}, line, [](const std::string&) {});
  if (const std::string how = spawner.how_to_attach(); !how.empty()) recruiting.warn("to see it: " + how);
  return {fmt::format("{} has joined team '{}' and is at work. It takes tasks from the board by itself. {}", name,
                      session.team().name, kItsAnswer)};
}

// Removes helpers that have done their work from the team.
void dismiss_ended(TeamSession& session, std::set<std::string>& helpers) {
  std::vector<std::string> ended;
  for (const std::string& name : helpers) {
    if (session.engine().life_of(session.team().name, name) == Life::dead) ended.push_back(name);
  }
  for (const std::string& name : ended) helpers.erase(name);
  session.refresh();
  // The team may have removed some already.
  std::erase_if(ended, [&](const std::string& name) { return session.team().find(name) == nullptr; });
  session.membership().leave(ended);
  session.refresh();
}

// Starts a helper, which works on the prompt and then ends.
ToolResult start_helper(TeamSession& session, Background& background, const Arguments& arguments,
                        const Recruiting& recruiting, std::set<std::string>& helpers, int interrupt) {
  const auto role = arguments.find_text("role");
  Spawner spawner(session, SpawnMode::background, recruiting.warn);
  const std::string name = spawner.recruit({role.value_or("helper"), role, 1, true}).front();
  helpers.insert(name);
  const std::string prompt = arguments.text("prompt");
  auto line = spawner.command_line(name, arguments_for(session.team(), role, arguments, recruiting));
  line.insert(line.end(), {"--once", "--no-auto-claim", "--quiet"});
  Program program;
  program.arguments = std::move(line);
  program.environment = environment_of_others(recruiting.secrets);
  program.directory = session.engine().place();
  const auto job = background.start_as(std::move(program), name, cut_characters(one_line(prompt), 80));
  if (arguments.flag("run_in_background")) {
    return {fmt::format("Started as {}. You are told when it ends; TaskOutput shows what it says.", name)};
  }
  if (!background.wait(name, Deadline::never(), interrupt)) {
    background.stop(name);
    background.forget_end(name);
    return {fmt::format("[interrupted] {}", background.output(name, kMostOutput)), true};
  }
  background.forget_end(name);
  const int status = background.get(name).status.value_or(0);
  const std::string said = background.output(name, kMostOutput);
  if (status == 0) return {said.empty() ? "(it said nothing)" : said};
  return {fmt::format("{} could not do it (exit status {}): {}", name, status, said), true};
}

void add_task(Toolbox& tools, TeamSession& session, Background& background, const Recruiting& recruiting) {
  const ToolSpec spec{"Task",
                      "Start somebody. With a name: a teammate that stays, takes tasks from the board and can be "
                      "written to. Without: a helper that does what the prompt says, gives you its answer and is gone.",
                      R"({"type":"object","properties":{
    "prompt":{"type":"string","description":"what it is to know and to do first"},
    "name":{"type":"string","description":"of a teammate: letters, digits, - and _"},
    "team_name":{"type":"string","description":"your team"},
    "role":{"type":"string","description":"its role: it takes tasks that are for that role"},
    "run_in_background":{"type":"boolean","description":"of a helper: do not wait for it"},
    "model":{"type":"string","description":"its model, if it is not that of its role or yours"},
    "plan":{"type":"boolean","description":"of a teammate: each of its tasks needs a plan that you approve"},
    "plan_mode_required":{"type":"boolean","description":"the same as plan"}},
    "required":["prompt"]})"};
  const auto helpers = std::make_shared<std::set<std::string>>();
  tools.add(spec,
            [&session, &background, recruiting, helpers](const Arguments& arguments, int interrupt) -> ToolResult {
              check_enabled();
              dismiss_ended(session, *helpers);
              check_team(session, arguments, "team_name");
              const auto role = arguments.find_text("role");
              if (role && !is_name(*role)) fail(Code::usage, "'{}' is not a name of a role", one_line(*role));
              if (arguments.find_text("name")) return start_teammate(session, arguments, recruiting);
              if (wants_plans(arguments)) {
                fail(Code::usage, "plan goes with the name of a teammate: a helper has no tasks");
              }
              const ToolResult result = start_helper(session, background, arguments, recruiting, *helpers, interrupt);
              dismiss_ended(session, *helpers);
              return result;
            });
}

void add_skill(Toolbox& tools, TeamSession& session) {
  const ToolSpec spec{"Skill", "Read how something is done here. The skills there are stand in your instructions.",
                      R"({"type":"object","properties":{"name":{"type":"string"}},"required":["name"]})"};
  tools.add(spec, [&session](const Arguments& arguments, int) -> ToolResult {
    return {read_skill(project_folder(session.engine()), arguments.text("name"))};
  });
}

void add_team_create(Toolbox& tools, TeamSession& session) {
  const ToolSpec spec{"TeamCreate", "Make a team. You lead one already: this tells you its name.",
                      R"({"type":"object","properties":{"name":{"type":"string"},"description":{"type":"string"}}})"};
  tools.add(spec, [&session](const Arguments& arguments, int) -> ToolResult {
    const std::string& own = session.team().name;
    const std::string wanted = arguments.find_text("name").value_or(own);
    if (wanted == own) return {fmt::format("Team '{}' is there and you lead it. Start teammates with Task.", own)};
    return {
        fmt::format("You lead team '{}' already, and one lead has one team: go on with it instead of '{}'. Start "
                    "teammates with Task.",
                    own, cut_characters(one_line(wanted), 64))};
  });
}

void add_team_delete(Toolbox& tools, TeamSession& session) {
  const ToolSpec spec{"TeamDelete",
                      "Dismiss the team: all teammates are asked to end and are members no more. The board stays.",
                      R"({"type":"object","properties":{"name":{"type":"string"}}})"};
  tools.add(spec, [&session](const Arguments& arguments, int interrupt) -> ToolResult {
    check_team(session, arguments, "name");
    session.refresh();
    std::vector<std::string> staying;
    for (const Stopped& one : stop_teammates(session, running_teammates(session), kPatience, Insist::no, interrupt)) {
      if (runs_on(one)) staying.push_back(describe(one));
    }
    if (!staying.empty()) return {join(staying, "\n"), true};
    session.refresh();
    std::vector<std::string> others;
    for (const Member& member : session.team().members) {
      if (member.name != session.team().lead) others.push_back(member.name);
    }
    session.membership().leave(others);
    session.refresh();
    return {"All teammates have ended and left the team."};
  });
}

void add_stop_teammate(Toolbox& tools, TeamSession& session) {
  const ToolSpec spec{
      "StopTeammate",
      "End one teammate: it is asked to end, and its tasks go back to the board. It stays a member, and "
      "Task with its name starts it again.",
      R"({"type":"object","properties":{
    "name":{"type":"string","description":"of the teammate"},
    "force":{"type":"boolean","description":"kill it if it does not end"},
    "remove":{"type":"boolean","description":"it also leaves the team"}},
    "required":["name"]})"};
  tools.add(spec, [&session](const Arguments& arguments, int interrupt) -> ToolResult {
    const std::string name = arguments.text("name");
    session.refresh();
    session.mail().check_member(name, "member");
    if (name == session.team().lead || name == "user") fail(Code::usage, "{} is no teammate", name);
    const Insist insist = arguments.flag("force") ? Insist::yes : Insist::no;
    const Stopped stopped = stop_teammates(session, {name}, kPatience, insist, interrupt).front();
    if (runs_on(stopped)) return {describe(stopped), true};
    if (!arguments.flag("remove")) return {describe(stopped) + "."};
    session.membership().leave({name});
    session.refresh();
    return {fmt::format("{}, and is no member any more.", describe(stopped))};
  });
}

void add_approve_plan(Toolbox& tools, TeamSession& session) {
  const ToolSpec spec{"ApprovePlan",
                      "Answer the plan of a teammate, or its request for a permission: it waits for that.",
                      R"({"type":"object","properties":{
    "request_id":{"type":"string","description":"as it stands in its plan_approval_request or permission_request"},
    "approve":{"type":"boolean"},
    "feedback":{"type":"string","description":"what to do differently, if it is not approved"}},
    "required":["request_id","approve"]})"};
  tools.add(spec, [&session](const Arguments& arguments, int) -> ToolResult {
    session.refresh();
    const bool approve = arguments.flag("approve");
    const Message sent =
        session.messages().approve_or_reject(arguments.text("request_id"), approve, arguments.find_text("feedback"));
    const char* what = sent.type == "permission_response" ? "request" : "plan";
    return {fmt::format("{} is told that its {} is {}.", sent.recipient, what, approve ? "approved" : "rejected")};
  });
}

// "3 tasks completed, 1 failed, 2 left open; 2 teammates were asked to end"
std::string describe_end(const TeamSession& session, std::size_t teammates) {
  std::size_t completed = 0, failed = 0, open = 0;
  const auto broken = [&](TaskId, const Error&) { ++open; };
  for (const auto& [id, outline] : session.board().view().outline(broken)) {
    if (outline.status == Status::completed) ++completed;
    else if (outline.status == Status::failed) ++failed;
    else ++open;
  }
  const auto plural = [](std::size_t count) { return count == 1 ? "" : "s"; };
  std::string text = fmt::format("{} task{} completed, {} failed", completed, plural(completed), failed);
  if (open > 0) text += fmt::format(", {} left open", open);
  if (teammates > 0) text += fmt::format("; {} teammate{} ended", teammates, plural(teammates));
  return text;
}

void add_finish_team(Toolbox& tools, TeamSession& session, TurnState& turn) {
  const ToolSpec spec{
      "FinishTeam",
      "The goal is reached: end the run. Refused while tasks are open, unless forced; teammates are asked "
      "to end first.",
      R"({"type":"object","properties":{
    "summary":{"type":"string","description":"what was done, for the user"},
    "force":{"type":"boolean","description":"though tasks are open"}},
    "required":["summary"]})"};
  tools.add(spec, [&session, &turn](const Arguments& arguments, int interrupt) -> ToolResult {
    Finish finish;
    finish.interrupt = interrupt;
    session.refresh();
    const std::size_t teammates = running_teammates(session).size();
    finish.summary = arguments.text("summary");
    if (arguments.flag("force")) finish.insist = Insist::yes;
    const auto staying = finish_team(session, finish);
    if (!staying.empty()) {
      std::vector<std::string> lines;
      for (const Stopped& one : staying) lines.push_back(describe(one));
      return {"The team is not finished: " + join(lines, "; "), true};
    }
    turn.conclusion = *finish.summary;
    turn.finished = true;
    return {fmt::format("The team is finished: {}.", describe_end(session, teammates))};
  });
}

}  // namespace

void add_lead_tools(Toolbox& tools, TeamSession& session, Background& background, TurnState& turn,
                    const Recruiting& recruiting) {
  add_task(tools, session, background, recruiting);
  add_background_tools(tools, background);
  add_skill(tools, session);
  add_team_create(tools, session);
  add_team_delete(tools, session);
  add_stop_teammate(tools, session);
  add_approve_plan(tools, session);
  add_finish_team(tools, session, turn);
}

}  // namespace team
