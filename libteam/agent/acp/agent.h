// An agent that runs, with one session: it is started, keeps its session, and changes its mode.
//
// The id of the session is with the state of the member, so the next agent of the same command loads it. An agent that
// does not know the session any more gets a new one.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libteam/agent/acp/connection.h"
#include "libteam/agent/acp/messages.h"
#include "libteam/agent/life/driver.h"
#include "libteam/record/member_state.h"
#include "libteam/system/environment.h"

namespace team {

// A program that offers tools to the agent by the Model Context Protocol.
struct ToolServer {
  std::string name, program;  // an absolute path
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;
};

struct AgentProgram {
  std::string command;    // for sh
  Variables environment;  // changes to ours
  std::string folder;     // absolute
  std::vector<ToolServer> servers;
  AgentModes::Asking asking = AgentModes::Asking::may_work;
  double silence = 300;  // longest time without a sign of life, in seconds
};

// The agent cannot go on: it ended, refused a request or was silent.
class AgentFailure : public std::runtime_error {
 public:
  enum class Kind {
    ended,
    refused,
    silent,
    stopped,   // by `must_stop`
    hopeless,  // there is no such program
  };
  AgentFailure(Kind kind, const std::string& text, int status = 1)
      : std::runtime_error(text), kind_(kind), status_(status) {}
  Kind kind() const { return kind_; }
  // Of an agent that ended: its exit status.
  int status() const { return status_; }

 private:
  Kind kind_;
  int status_;
};

class AcpAgent {
 public:
  // Checked when `interrupt` becomes readable: true if the start must be given up.
  struct Interruption {
    int interrupt = -1;
    std::function<bool()> must_stop;
  };
  // Starts the program and loads or makes the session. `session` is that of the last agent. Throws AgentFailure.
  AcpAgent(const AgentProgram& program, std::optional<AgentSession> session, const Audience& audience,
           const Interruption& interruption);
  AcpAgent(const AcpAgent&) = delete;
  AcpAgent& operator=(const AcpAgent&) = delete;
  // Ends the agent and all that it started.
  ~AcpAgent() { connection_.stop(); }

  AgentConnection& connection() { return connection_; }
  const AgentSession& session() const { return session_; }
  // Counts what the session has cost so far; returns what is new.
  double add_cost(double usd);

  // Puts the agent into its mode for this phase. False if it has no such mode or refuses it.
  bool enter(Phase phase, const Audience& audience, const Interruption& interruption);

 private:
  void begin_session(const Audience& audience, const Interruption& interruption);
  bool load_session(const Audience& audience, const Interruption& interruption);
  std::shared_ptr<const Json> call(std::string_view method, std::string_view parameters,
                                   const Interruption& interruption);
  void pass_replay(const Interruption& interruption);

  const AgentProgram& program_;
  AgentConnection connection_;
  AgentSession session_;
  AgentModes modes_;
  std::optional<std::string> work_mode_;
  std::optional<std::string> mode_;  // that was set last
};

}  // namespace team
