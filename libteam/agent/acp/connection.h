// The process of an agent and its messages: JSON-RPC 2.0, one object a line, over its stdin and stdout.
//
// The agent and everything that it started end with this object, or when our process dies (see system/process.h). Its
// lines are bounded; a line that is no message is noted and ignored. Ids of our requests are integers. The ids of the
// agent's own requests may be equal to them.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "libteam/base/clock.h"
#include "libteam/base/json_rpc.h"
#include "libteam/system/process.h"

namespace team {

class AgentConnection {
 public:
  // `note` gets a line about each of the first ignored lines; `hear_errors` gets stderr.
  struct Ears {
    std::function<void(std::string_view line)> note;
    std::function<void(std::string_view text)> hear_errors;
  };
  AgentConnection(const Program& program, Ears ears);

  // Sends a request; returns its id.
  std::int64_t request(std::string_view method, std::string_view parameters);
  void notify(std::string_view method, std::string_view parameters);
  // Answer a request of the agent.
  void answer(std::string_view id, std::string_view result);
  void refuse(std::string_view id, RpcCode code, std::string_view text);

  // Blocks until a message came, the agent has ended, the deadline passes or `interrupt` is readable. Messages that
  // came go to next().
  Child::Woke wait(const Deadline& deadline, int interrupt);
  // The oldest message that was not returned yet.
  std::optional<RpcMessage> next();

  bool has_ended() const { return has_ended_; }
  // Of an agent that has ended: its status and the last it said on stderr.
  std::string describe_end() const;
  int status() const { return child_.status(); }

  // Ends the agent and all that it started, and waits for it: TERM, 2 s, KILL; or KILL at once.
  void stop();
  void kill();

  void change_ears(Ears ears) { ears_ = std::move(ears); }

 private:
  void read(std::string_view bytes);
  void hear_error(std::string_view text);
  void await_end();

  Child child_;
  Ears ears_;
  LineSplitter lines_;
  std::deque<RpcMessage> messages_;
  std::string errors_;  // the end of stderr
  std::int64_t last_id_ = -1;
  int ignored_ = 0;
  bool has_ended_ = false;
};

}  // namespace team
