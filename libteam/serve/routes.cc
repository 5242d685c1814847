#include <iterator>

#include "libteam/serve/router.h"

namespace team {

// Of two routes that match a path, the first one counts.
std::vector<Route> all_routes() {
  std::vector<Route> all;
  for (auto* group : {page_routes, read_routes, change_routes, event_routes, picture_routes, run_routes, metrics_routes,
                      mcp_routes}) {
    auto routes = group();
    all.insert(all.end(), std::make_move_iterator(routes.begin()), std::make_move_iterator(routes.end()));
  }
  return all;
}

}  // namespace team
