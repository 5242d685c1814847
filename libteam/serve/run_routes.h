// The groups of endpoints that start teams. They share the list of started runs.
#pragma once

#include <memory>
#include <vector>

#include "libteam/serve/router.h"
#include "libteam/serve/team_runs.h"

namespace team {

std::vector<Route> team_api_routes(const std::shared_ptr<TeamRuns>& runs);  // /team/…
std::vector<Route> agui_routes(const std::shared_ptr<TeamRuns>& runs);      // /agui

}  // namespace team
