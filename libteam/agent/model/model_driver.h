// A model as a teammate: one long conversation in which each piece of work is a turn, and tools do what the model
// requests.
//
// The model gets its mail before every call. A signal, an urgent message or a deadline cancels a running call, and its
// partial answer is dropped. A conversation that is too long for the model is shortened.
//
// Every step is in the transcript before the next one begins, so a killed agent resumes at the last step. A tool call
// without a result is then answered as interrupted.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "libteam/agent/life/driver.h"
#include "libteam/agent/life/step_order.h"
#include "libteam/agent/model/call_interrupter.h"
#include "libteam/agent/model/loop_guard.h"
#include "libteam/agent/model/memory.h"
#include "libteam/agent/model/model_caller.h"
#include "libteam/agent/model/model_events.h"
#include "libteam/agent/model/provider.h"
#include "libteam/agent/model/retry_policy.h"
#include "libteam/agent/tools/background.h"
#include "libteam/agent/tools/tool.h"
#include "libteam/agent/tools/turn_state.h"

namespace team {

// The exit status when the model is unavailable and retries did not help: EX_UNAVAILABLE of sysexits.
inline constexpr int kModelUnavailable = 69;

struct ModelRules {
  std::int64_t most_turns = 0;    // per piece of work; 0: no limit
  std::optional<double> seconds;  // per piece of work
  Deadline deadline = Deadline::never();
  std::int64_t still_turns = 0;  // without a change of board, mail or files; 0: no limit
  std::string folder;            // where its files are
  // Called before each call of the model. Returns the reason if no further call is allowed.
  std::function<std::optional<std::string>()> objection;
  StepOrder* order = &free_order();  // outlives the driver
};

class ModelDriver : public Driver {
 public:
  // `remember` opens the memory. References outlive this.
  ModelDriver(ModelCaller caller, Toolbox& tools, std::function<Memory()> remember, Background& background,
              TurnState& turn, const Signals& signals, ModelRules rules);

  void begin_life() override { memory_.emplace(remember_()); }
  Outcome work(const Work& work, const Audience& audience) override;
  bool converses() const override { return true; }
  bool retries() const override { return true; }
  std::optional<Work> left() const override;
  void settle() override;
  bool has_news() override;
  int news() const override { return background_.fd(); }

  // Tokens used in all runs.
  const Usage& used() const { return caller_.used(); }
  // Called by the provider when a call is delayed.
  void delayed(const Delay& delay);

 private:
  bool begin(const Work& work);
  Outcome converse(const Work& work);
  std::optional<Outcome> look_around(const Work& work, std::int64_t turn);
  enum class CallsEnd { whole, cut };
  void run_calls(CallsEnd end);
  std::optional<Outcome> judge_turn();
  static bool may_be_silent(const Work& work);
  std::string cut_at() const;
  ToolResult run_call(const Part& call);
  std::vector<Message> heard_meanwhile(const Work& work) const;
  void answer_interrupted();
  std::string notice_ends();
  std::string tell_ends();
  void close_tools(const Work& work);
  void stop_background();
  Outcome finished(std::string result) const;

  ModelCaller caller_;
  Toolbox& tools_;
  std::function<Memory()> remember_;
  std::optional<Memory> memory_;  // set by begin_life()
  Background& background_;
  TurnState& turn_;
  const Signals& signals_;
  ModelRules rules_;
  // Valid during a piece of work.
  Deadline end_ = Deadline::never();
  const Audience* audience_ = nullptr;
  ModelEvents* events_ = nullptr;
  CallInterrupter* interrupter_ = nullptr;
  std::optional<LoopGuard> guard_;
  LoopGuard::Verdict verdict_ = LoopGuard::Verdict::fine;  // the worst of this turn
};

}  // namespace team
