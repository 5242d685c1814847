#include "libteam/serve/run_routes.h"

#include <iterator>

namespace team {

std::vector<Route> run_routes() {
  const auto runs = std::make_shared<TeamRuns>();
  std::vector<Route> routes = team_api_routes(runs);
  auto more = agui_routes(runs);
  routes.insert(routes.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  return routes;
}

}  // namespace team
