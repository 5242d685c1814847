// The life of a lead: it works on a goal as a teammate works on its prompt, and wakes on messages.
//
// The run ends when the team is finished, when a limit is reached, or when no task can progress and the lead does not
// react. It goes on while a teammate works, and while a plan, a question to the user or a shutdown request of the lead
// has no answer.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "libteam/agent/life/driver.h"
#include "libteam/agent/life/team_recording.h"
#include "libteam/agent/model/model_agent.h"
#include "libteam/record/role.h"
#include "libteam/store/team_session.h"

namespace team {

struct LeadOptions {
  std::optional<std::string> goal;  // none: resumes its earlier work
  RoleSpec role;
  ModelChoice model;
  TeamRecording recording = {};  // of the whole team
  Keys keys;
  bool delegates = false;
  Deadline deadline = Deadline::never();
  SpawnMode mode = SpawnMode::background;
  std::function<void(std::string_view)> warn;
  // True if the user may still write to the lead; and a descriptor (or -1) that becomes readable when that changes.
  std::function<bool()> waits;
  int waker = -1;
};

struct LeadEnd {
  int status = 0;
  std::string reason;
  std::string summary;  // the result, if the team is finished
};

// One line about a run that did not reach its goal; none if it did.
std::optional<std::string> describe_failure(const LeadEnd& end);

// Completes the choice of role and model by the configuration of the team and the environment. Throws usage if the goal
// is empty, or is missing for a team that is not made yet; if no model is chosen; or if its key is missing.
void complete(LeadOptions& options, const Team& team);

// Blocks until the run ends; then no teammate is running. The last event is TEAM_RUN_ENDED. While tasks are open and
// nobody works, a lead that only talks gets a reminder, at most three times without progress; once no task is open, one
// to finish the team. Throws the errors of Teammate::run and ModelAgent.
LeadEnd run_lead(TeamSession& session, const LeadOptions& options, const Signals& signals, const Audience& audience);

}  // namespace team
