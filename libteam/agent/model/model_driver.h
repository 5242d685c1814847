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
#include "libteam/agent/model/model_events.h"
#include "libteam/agent/model/provider.h"
#include "libteam/agent/model/retry_policy.h"
#include "libteam/agent/tools/background.h"
#include "libteam/agent/tools/tool.h"

namespace team {

// The model cannot be had, and trying again did not help: sysexits' EX_UNAVAILABLE.
inline constexpr int kModelUnavailable = 69;

// What tools have done that concerns the work as a whole.
struct TurnState {
  Phase phase = Phase::work;
  bool wants_plan = false;                // what comes of it is put to the lead
  bool is_gated = false;                  // see Work
  std::optional<TaskId> task;             // at hand
  std::optional<std::string> conclusion;  // ends the piece of work, with this result
  std::set<std::string> written_to;
  std::set<std::string> heard;        // types of messages
  std::optional<std::string> paused;  // the exchange limit, and what it said
  bool finished = false;              // the run of the team; stays

  // Another piece of work.
  void begin(const Work& work) {
    phase = work.phase;
    wants_plan = work.wants_plan;
    is_gated = work.is_gated;
    task = work.task ? std::optional(work.task->id) : std::nullopt;
    conclusion.reset();
    written_to.clear();
    heard.clear();
    paused.reset();
  }
};

struct ModelRules {
  std::int64_t context = 200'000;      // tokens
  std::int64_t longest_answer = 8192;  // tokens
  std::int64_t most_turns = 0;         // of one piece of work; 0: any number
  std::optional<double> seconds;       // of one piece of work
  Deadline deadline = Deadline::never();
  // Asked before each call, with what was used so far: why there may be no further one.
  std::function<std::optional<std::string>(const Usage& used)> objection;
};

class ModelDriver : public Driver {
 public:
  // `remember` opens the memory, `system` gives the system prompt as it is now. All that is passed by reference
  // outlives this.
  ModelDriver(Provider& provider, Toolbox& tools, std::function<Memory()> remember, Background& background,
              TurnState& turn, const Folder& folder, const Signals& signals, ModelRules rules,
              std::function<std::string()> system, const Usage& used);

  void begin_life() override { memory_.emplace(remember_()); }
  Outcome work(const Work& work, const Audience& audience) override;
  bool converses() const override { return true; }
  std::optional<Work> left() const override;
  void settle() override;
  bool has_news() override;
  int news() const override { return background_.fd(); }

  // In all its lives.
  const Usage& used() const { return used_; }
  // For the provider: a call does not go on for a while.
  void delayed(const Delay& delay);

 private:
  bool begin(const Work& work);
  Outcome converse(const Work& work);
  std::optional<Outcome> look_around(const Work& work, std::int64_t turn);
  std::optional<ModelAnswer> ask();
  ModelAnswer call_model(const ModelRequest& request, int interrupt, const Provider::Hear& hear);
  void run_calls();
  ToolResult run_call(const Part& call);
  std::vector<Message> heard_meanwhile(const Work& work) const;
  void answer_interrupted();
  std::string tell_ends();
  void close_tools(const Work& work);
  void stop_background();
  ModelRequest request() const;
  bool is_too_long(const ModelRequest& request, std::int64_t limit) const;
  std::int64_t estimate(const ModelRequest& request) const;
  bool make_room(int attempt);
  std::string ask_for_summary();
  Outcome finished(std::string result) const;

  Provider& provider_;
  Toolbox& tools_;
  std::function<Memory()> remember_;
  std::optional<Memory> memory_;  // since begin_life()
  Background& background_;
  TurnState& turn_;
  const Folder& folder_;
  const Signals& signals_;
  ModelRules rules_;
  std::function<std::string()> system_;
  Usage used_;
  double tokens_per_byte_ = 0.25;  // as the service counts them
  // While it works.
  Deadline end_ = Deadline::never();
  const Audience* audience_ = nullptr;
  ModelEvents* narrator_ = nullptr;
  CallInterrupter* bell_ = nullptr;
};

}  // namespace team
