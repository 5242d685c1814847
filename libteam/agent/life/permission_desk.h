// The requests of an agent for permissions, put to the lead and answered like plans.
#pragma once

#include <optional>

#include "libteam/agent/life/driver.h"
#include "libteam/agent/life/member_life.h"

namespace team {

// For one piece of work. `life` outlives it. While a request waits, the state of the member is plan_pending.
PermissionDesk make_permission_desk(MemberLife& life, std::optional<TaskId> task);

}  // namespace team
