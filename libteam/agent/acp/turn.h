// One turn of an agent: a prompt, and everything until its answer.
//
// Reports text, tool calls and costs as they come. Answers requests for permissions by the rules of the role; those
// that are to be asked wait for the lead while the turn goes on. In the phase `plan`, what may change something is
// rejected whatever the rules say. There is at most one prompt at a time: some agents drop the first when a second
// comes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "libteam/agent/acp/agent.h"
#include "libteam/agent/life/driver.h"
#include "libteam/agent/model/call_interrupter.h"
#include "libteam/agent/model/loop_guard.h"
#include "libteam/agent/model/model_events.h"
#include "libteam/base/clock.h"
#include "libteam/system/signals.h"

namespace team {

struct AcpTurnEnd {
  // Why the turn was cancelled by us.
  enum class Cause { none, urgent, too_late, silent, signal, over_budget, looping };
  Cause cause = Cause::none;
  std::optional<int> signal = {};
  std::string reason = {};  // of over_budget and looping

  bool has_died = false;     // the agent ended, or had to be killed because it did not cancel
  std::string failure = {};  // of the request, or how the agent ended; empty if the agent answered
  PromptAnswer answer = {};
  std::string text = {};      // of the whole turn
  std::string last = {};      // the text after the last tool call
  std::string plan = {};      // that a tool call for the end of the planning had
  std::int64_t calls = 0;     // of tools
  std::string rejected = {};  // the last tool call that was rejected; empty if none was
  double usd = 0;             // counted already
};

struct AcpTurnRules {
  Permissions permissions;
  Phase phase = Phase::work;
  double silence = 300;                    // seconds
  std::function<void(double usd)> charge;  // counts a cost at once, for budgets
};

class AcpTurn {
 public:
  // All references outlive this. `limit` is when the piece of work must be done. The time that a request for a
  // permission waits is added to it.
  AcpTurn(AcpAgent& agent, const Work& work, const AcpTurnRules& rules, ModelEvents& events, LoopGuard& guard,
          CallInterrupter& interrupter, const Signals& signals);

  // Throws the errors of PermissionDesk, with the turn cancelled.
  AcpTurnEnd run(const std::string& prompt, Deadline limit);

 private:
  struct Asked {
    std::string request;  // the id of the agent's request, as JSON text
    PermissionQuestion question;
  };

  void loop(const std::string& id, Deadline limit);
  void report_end();
  Deadline next_look(const Deadline& limit) const;
  void take_message(const RpcMessage& message, const std::string& id);
  void take_update(const AgentUpdate& update);
  void take_call(const AgentToolCall& news);
  void take_question(const RpcMessage& message);
  Permission rule_for(const AgentToolCall& call) const;
  void settle(const Asked& asked, Permission answer);
  void look_at_answers();
  void look_around();
  void check_limits(const Deadline& limit);
  void cancel(AcpTurnEnd::Cause cause);
  void drop_questions();
  bool has_open_call() const;

  AcpAgent& agent_;
  const Work& work_;
  const AcpTurnRules& rules_;
  ModelEvents& events_;
  LoopGuard& guard_;
  CallInterrupter& interrupter_;
  const Signals& signals_;
  AcpTurnEnd end_;
  bool has_ended_ = false;
  std::map<std::string, AgentToolCall> calls_;  // by id
  std::map<std::string, Asked> asked_;          // by the id of our request
  Deadline quiet_ = Deadline::never();          // the end of the silence that is allowed
  std::optional<Deadline> cancelled_;           // when an agent that does not cancel is killed
};

// For people: "execute: make test".
std::string describe(const AgentToolCall& call);

}  // namespace team
