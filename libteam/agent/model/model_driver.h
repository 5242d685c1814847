// A model as a teammate: one long conversation in which each piece of work is a turn, and tools do what it asks for.
//
// Before every call it hears its mail; a call in flight is broken off by a signal, by a message that is urgent and at a
// deadline, and nothing of it counts. A conversation that grows too long for the model is shortened. Every step is in
// the transcript before the next one: who is killed goes on where it was, and a tool call whose result is not known is
// answered as interrupted.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "libteam/agent/life/driver.h"
#include "libteam/agent/model/call_interrupter.h"
#include "libteam/agent/model/memory.h"
#include "libteam/agent/model/model_caller.h"
#include "libteam/agent/model/model_events.h"
#include "libteam/agent/model/provider.h"
#include "libteam/agent/model/retry_policy.h"
#include "libteam/agent/tools/background.h"
#include "libteam/agent/tools/tool.h"
#include "libteam/agent/tools/turn_state.h"

namespace team {

// The model cannot be had, and trying again did not help: sysexits' EX_UNAVAILABLE.
inline constexpr int kModelUnavailable = 69;

struct ModelRules {
  std::int64_t most_turns = 0;    // of one piece of work; 0: any number
  std::optional<double> seconds;  // of one piece of work
  Deadline deadline = Deadline::never();
  // Asked before each call, with what was used so far: why there may be no further one.
  std::function<std::optional<std::string>(const Usage& used)> objection;
};

class ModelDriver : public Driver {
 public:
  // `remember` opens the memory. References outlive this.
  ModelDriver(ModelCaller caller, Toolbox& tools, std::function<Memory()> remember, Background& background,
              TurnState& turn, const Folder& folder, const Signals& signals, ModelRules rules);

  void begin_life() override { memory_.emplace(remember_()); }
  Outcome work(const Work& work, const Audience& audience) override;
  bool converses() const override { return true; }
  std::optional<Work> left() const override;
  void settle() override;
  bool has_news() override;
  int news() const override { return background_.fd(); }

  // Tokens of all runs.
  const Usage& used() const { return caller_.used(); }
  // For the provider: a call does not go on for a while.
  void delayed(const Delay& delay);

 private:
  bool begin(const Work& work);
  Outcome converse(const Work& work);
  std::optional<Outcome> look_around(const Work& work, std::int64_t turn);
  void run_calls();
  ToolResult run_call(const Part& call);
  std::vector<Message> heard_meanwhile(const Work& work) const;
  void answer_interrupted();
  std::string tell_ends();
  void close_tools(const Work& work);
  void stop_background();
  Outcome finished(std::string result) const;

  ModelCaller caller_;
  Toolbox& tools_;
  std::function<Memory()> remember_;
  std::optional<Memory> memory_;  // since begin_life()
  Background& background_;
  TurnState& turn_;
  const Folder& folder_;
  const Signals& signals_;
  ModelRules rules_;
  // While it works.
  Deadline end_ = Deadline::never();
  const Audience* audience_ = nullptr;
  ModelEvents* events_ = nullptr;
  CallInterrupter* interrupter_ = nullptr;
};

}  // namespace team
