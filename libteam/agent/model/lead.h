// The life of a lead: it works on a goal as a teammate works on its prompt, wakes on messages, and is over when the
// team is finished, when a limit is reached, or when nothing moves any more and it does nothing about it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "libteam/agent/life/driver.h"
#include "libteam/agent/model/model_agent.h"
#include "libteam/record/role.h"
#include "libteam/store/team_session.h"

namespace team {

struct LeadOptions {
  std::optional<std::string> goal;  // none: goes on with what it was at
  RoleSpec role;
  ModelChoice model;
  Keys keys;
  bool delegates = false;
  Deadline deadline = Deadline::never();
  SpawnMode mode = SpawnMode::background;
  std::function<void(std::string_view)> warn;
  // Whether somebody may still say something to it, and a descriptor (or -1) that can be read from when that changes.
  std::function<bool()> waits;
  int waker = -1;
};

struct LeadEnd {
  int status = 0;
  std::string reason;
  std::string summary;  // what was done, if the team is finished
};

// Blocks until the run is over; then no teammate runs any more. Its last event is TEAM_RUN_ENDED. A lead that only
// talks while tasks are open and nobody works is reminded of it, three times without progress at the most. Throws what
// Teammate::run and ModelAgent throw.
LeadEnd run_lead(TeamSession& session, const LeadOptions& options, const Signals& signals, const Audience& audience);

}  // namespace team
