#include "libteam/agent/acp/agent.h"

#include <nlohmann/json.hpp>

#include "libteam/base/environment_variable.h"
#include "libteam/base/terminal_text.h"

namespace team {

namespace {

using Kind = AgentFailure::Kind;

// opencode asks for no permission unless it is told to: then the rules of the role would not hold.
constexpr const char* kOpencodeAsks = R"({"permission":{"bash":"ask","edit":"ask","webfetch":"ask"}})";
constexpr const char* kOpencodeVariable = "OPENCODE_CONFIG_CONTENT";

Program start_of(const AgentProgram& agent) {
  Program program;
  program.arguments = {"/bin/sh", "-c", agent.command};
  if (!environment_variable(kOpencodeVariable)) program.environment.emplace_back(kOpencodeVariable, kOpencodeAsks);
  program.environment.insert(program.environment.end(), agent.environment.begin(), agent.environment.end());
  program.directory = agent.folder;
  program.is_input_open = true;
  return program;
}

AgentConnection::Ears ears_of(const Audience& audience) { return {audience.note, audience.err}; }

Json describe(const ToolServer& server) {
  Json environment = Json::array();
  for (const auto& [name, value] : server.environment) environment.push_back({{"name", name}, {"value", value}});
  return {{"name", server.name}, {"command", server.program}, {"args", server.arguments}, {"env", environment}};
}

Json session_parameters(const AgentProgram& program) {
  Json servers = Json::array();
  for (const ToolServer& server : program.servers) servers.push_back(describe(server));
  return {{"cwd", program.folder}, {"mcpServers", servers}};
}

std::string initialize_parameters() {
  return dump_line(
      {{"protocolVersion", 1},
       {"clientInfo", {{"name", "teamkit"}, {"title", "teamkit"}, {"version", TEAMKIT_VERSION}}},
       {"clientCapabilities", {{"fs", {{"readTextFile", false}, {"writeTextFile", false}}}, {"terminal", false}}}});
}

}  // namespace

AcpAgent::AcpAgent(const AgentProgram& program, std::optional<AgentSession> session, const Audience& audience,
                   const Interruption& interruption)
    : program_(program), connection_(start_of(program), ears_of(audience)) {
  if (session) session_ = std::move(*session);
  const auto answer = call("initialize", initialize_parameters(), interruption);
  const bool is_known = session_.command == program.command && !session_.id.empty();
  if (!is_known || !can_load_session(*answer) || !load_session(audience, interruption)) {
    begin_session(audience, interruption);
  }
  audience.keep_session(session_);
}

bool AcpAgent::load_session(const Audience& audience, const Interruption& interruption) {
  Json parameters = session_parameters(program_);
  parameters["sessionId"] = session_.id;
  try {
    const auto answer = call("session/load", dump_line(parameters), interruption);
    modes_ = modes_of(*answer);
    work_mode_ = modes_.for_work(program_.asking);
    pass_replay(interruption);
    return true;
  } catch (const AgentFailure& failure) {
    if (failure.kind() != Kind::refused) throw;
    audience.note(fmt::format("a new session: {}", one_line(failure.what())));
    return false;
  }
}

void AcpAgent::begin_session(const Audience&, const Interruption& interruption) {
  const auto answer = call("session/new", dump_line(session_parameters(program_)), interruption);
  session_ = {program_.command, session_id_of(*answer)};
  if (session_.id.empty()) throw AgentFailure(Kind::refused, "the agent made a session without an id");
  modes_ = modes_of(*answer);
  work_mode_ = modes_.for_work(program_.asking);
}

// The answer to a request. What else comes belongs to no turn: updates are dropped and requests are refused.
std::shared_ptr<const Json> AcpAgent::call(std::string_view method, std::string_view parameters,
                                           const Interruption& interruption) {
  const std::string id = std::to_string(connection_.request(method, parameters));
  Deadline limit = Deadline::in(program_.silence);
  while (true) {
    while (const auto message = connection_.next()) {
      const bool is_answer = message->kind == RpcMessage::Kind::result || message->kind == RpcMessage::Kind::error;
      if (message->kind == RpcMessage::Kind::request) {
        connection_.refuse(message->id, RpcCode::method_not_found, "not now");
      } else if (is_answer && message->id == id) {
        if (message->kind == RpcMessage::Kind::result) return message->body;
        throw AgentFailure(Kind::refused, fmt::format("{}: {}", method, error_text_of(*message->body)));
      }
    }
    if (connection_.has_ended()) {
      const int status = connection_.status();
      throw AgentFailure(status == 126 || status == 127 ? Kind::hopeless : Kind::ended, connection_.describe_end(),
                         status);
    }
    switch (connection_.wait(limit, interruption.interrupt)) {
      case Child::Woke::heard: limit = Deadline::in(program_.silence); break;
      case Child::Woke::interrupted:
        if (interruption.must_stop()) throw AgentFailure(Kind::stopped, "interrupted");
        break;
      case Child::Woke::deadline:
        throw AgentFailure(Kind::silent, fmt::format("{}: no answer for {:g} s", method, program_.silence));
      case Child::Woke::ended: break;
    }
  }
}

// Some agents repeat the conversation after their answer to session/load. It belongs to no turn.
void AcpAgent::pass_replay(const Interruption& interruption) {
  constexpr double kPause = 0.3;
  constexpr double kMost = 10;
  const Deadline end = Deadline::in(kMost);
  while (!end.passed() && connection_.wait(end.or_in(kPause), interruption.interrupt) == Child::Woke::heard) {
    while (connection_.next()) continue;
  }
}

double AcpAgent::add_cost(double usd) {
  const double before = usd < session_.usd ? 0 : session_.usd;  // it counts from its own start
  session_.usd = usd;
  return usd - before;
}

bool AcpAgent::enter(Phase phase, const Audience& audience, const Interruption& interruption) {
  connection_.change_ears(ears_of(audience));
  const auto wanted = phase == Phase::plan ? modes_.for_plan() : work_mode_;
  if (!wanted) return phase == Phase::work;
  if ((mode_ ? *mode_ : modes_.current) == *wanted) return true;
  Json parameters = {{"sessionId", session_.id}};
  if (modes_.option.empty()) {
    parameters["modeId"] = *wanted;
  } else {
    parameters["configId"] = modes_.option;
    parameters["value"] = *wanted;
  }
  try {
    call(modes_.option.empty() ? "session/set_mode" : "session/set_config_option", dump_line(parameters), interruption);
    mode_ = wanted;
    return true;
  } catch (const AgentFailure& failure) {
    if (failure.kind() != Kind::refused) throw;
    audience.note(one_line(failure.what()));
    return false;
  }
}

}  // namespace team
