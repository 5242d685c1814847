// The table of endpoints, and the search in it.
//
// Each group of endpoints is a function that returns its routes, in a file of its own; all_routes() in routes.cc lists
// the groups. A handler throws team::Error; the server makes a response of it. Handlers run on several threads.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/serve/http.h"
#include "libteam/serve/service.h"

namespace team {

using Handler = std::function<WebResponse(const Service& service, const WebRequest& request)>;

struct Route {
  // A change counts against the limit of changes and is refused with --read-only.
  // A mixed one decides by itself which of its requests are changes.
  enum class Kind { read, change, mixed };
  // Where the handler runs. `loop` is for handlers that never wait and take less than a millisecond.
  enum class Place { worker, loop };
  enum class Access { token, open };

  std::string method;
  std::string pattern;  // "/api/tasks/{id}/claim": a brace matches one part of the path
  Kind kind = Kind::read;
  Handler handler;
  Place place = Place::worker;
  Access access = Access::token;
};

class Router {
 public:
  explicit Router(std::vector<Route> routes);

  struct Found {
    const Route* route = nullptr;  // null: no endpoint has this path and method
    std::vector<std::string> parameters;
    std::vector<std::string> allowed;  // methods of the path, if only the method is wrong
  };
  Found find(std::string_view method, std::string_view path) const;

  const std::vector<Route>& routes() const { return routes_; }

 private:
  std::vector<Route> routes_;
};

// All endpoints: the groups below.
std::vector<Route> all_routes();

std::vector<Route> page_routes();     // the web page, /healthz
std::vector<Route> read_routes();     // GET /api/…
std::vector<Route> change_routes();   // changes below /api
std::vector<Route> event_routes();    // /api/events
std::vector<Route> picture_routes();  // /api/graph.svg, /api/timeline.svg
std::vector<Route> run_routes();      // /team/…, /agui
std::vector<Route> metrics_routes();  // /metrics
std::vector<Route> mcp_routes();      // /mcp

}  // namespace team
