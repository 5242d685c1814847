// An agent of others as a teammate, by the Agent Client Protocol: one session that lives, in which each piece of work
// is a turn.
//
// Mail waits for the end of the turn. Urgent mail cancels the turn; then it is the next prompt. What does not cancel
// within 2 s is killed, with everything that it started. The next agent loads the session. A turn without an answer, or
// in which the agent died, is a failed attempt.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libteam/agent/acp/agent.h"
#include "libteam/agent/acp/turn.h"
#include "libteam/agent/life/driver.h"
#include "libteam/record/permissions.h"
#include "libteam/system/signals.h"

namespace team {

struct AcpRules {
  AgentProgram program;
  Permissions permissions;
  std::optional<double> time_limit;      // of a piece of work, in seconds
  std::int64_t still_turns = 0;          // see LoopGuard
  std::vector<std::string> limit_texts;  // further texts of usage limits
};

class AcpDriver : public Driver {
 public:
  // `remembered` gives the session of the last life. `signals` outlives this.
  AcpDriver(AcpRules rules, std::function<std::optional<AgentSession>()> remembered, const Signals& signals);

  void begin_life() override { session_ = remembered_(); }
  Outcome work(const Work& work, const Audience& audience) override;
  bool converses() const override { return true; }

 private:
  struct Piece;
  Outcome run(Piece& piece);
  AcpTurnEnd take_turn(Piece& piece, const std::string& prompt);
  void make_ready(Piece& piece);
  bool hear_urgent(Piece& piece, AcpTurnEnd& end);
  Outcome judge(const Piece& piece, const AcpTurnEnd& end) const;
  Outcome judge_answer(const Piece& piece, const AcpTurnEnd& end) const;
  Outcome failed(std::string reason, const std::string& said) const;

  AcpRules rules_;
  std::function<std::optional<AgentSession>()> remembered_;
  const Signals& signals_;
  std::optional<AgentSession> session_;
  std::unique_ptr<AcpAgent> agent_;
};

}  // namespace team
