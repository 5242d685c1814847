#include "libteam/agent/acp/acp_choice.h"

#include <unistd.h>

#include <filesystem>

#include "libteam/record/settings.h"
#include "libteam/system/program.h"

namespace team {

namespace {

std::optional<ToolServer> tools_of_team(const TeamSession& session) {
  ToolServer server;
  server.name = "team";
  server.program = own_folder() + "/team-mcp";
  if (::access(server.program.c_str(), X_OK) != 0) return std::nullopt;
  const std::string root = std::filesystem::absolute(session.engine().place()).lexically_normal();
  server.arguments = {"-C", root, "-t", session.team().name};
  for (const auto& [name, value] : session.environment()) {
    if (value) server.environment.emplace_back(name, *value);
  }
  return server;
}

}  // namespace

AcpRules acp_rules_for(const TeammateChoice& choice, const RoleSpec& role, const TeamSession& session,
                       Variables environment) {
  AcpRules rules;
  rules.program.command = *choice.acp;
  rules.program.environment = std::move(environment);
  for (auto& variable : session.environment()) rules.program.environment.push_back(std::move(variable));
  rules.program.folder = std::filesystem::current_path();
  if (auto server = tools_of_team(session)) rules.program.servers.push_back(std::move(*server));
  rules.program.silence = number_setting(session.team(), "model.silence");
  rules.permissions = permissions_for(choice, role);
  for (const ToolKind kind : {ToolKind::edit, ToolKind::remove, ToolKind::move, ToolKind::execute}) {
    if (rules.permissions.of(kind) != Permission::allow) rules.program.asking = AgentModes::Asking::must_ask;
  }
  rules.time_limit = choice.time_limit;
  rules.still_turns = choice.model.still_turns.value_or(0);
  rules.limit_texts = limit_texts_for(choice, session.team());
  return rules;
}

std::function<std::optional<AgentSession>()> last_session_of(const TeamSession& session) {
  return [&session]() -> std::optional<AgentSession> {
    const auto state = session.lives()->state_of(session.self().name);
    return state ? state->session : std::nullopt;
  };
}

}  // namespace team
