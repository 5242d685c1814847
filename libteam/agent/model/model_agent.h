// A complete model agent, for a teammate or a lead: provider, tools and memory.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libteam/agent/model/model_driver.h"
#include "libteam/agent/tools/lead_tools.h"
#include "libteam/record/model_choice.h"
#include "libteam/store/team_session.h"
#include "libteam/system/keys.h"

namespace team {

struct ModelPart {
  bool leads = false;
  bool delegates = false;
  std::string role_prompt;
  std::optional<std::vector<std::string>> tools;  // none: all tools
  Deadline deadline = Deadline::never();
  std::optional<double> time_limit;  // for one piece of work, in seconds
  Variables environment;             // changes to the environment of its commands
  Keys keys;
  StepOrder* order = nullptr;  // outlives the agent; none: it is neither recorded nor replayed
  Recruiting recruiting;       // only for a lead
};

class ModelAgent {
 public:
  // Throws usage if no model is chosen, a key is missing or a tool does not exist. `session` and `signals` outlive
  // this.
  ModelAgent(TeamSession& session, const Signals& signals, const ModelChoice& choice, ModelPart part);
  ModelAgent(const ModelAgent&) = delete;
  ModelAgent& operator=(const ModelAgent&) = delete;
  ~ModelAgent();

  ModelDriver& driver();
  const TurnState& turn() const { return turn_; }
  // True if programs of the model run in the background.
  bool has_company() const;

 private:
  struct Parts;
  TurnState turn_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace team
