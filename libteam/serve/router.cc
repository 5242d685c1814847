#include "libteam/serve/router.h"

#include <algorithm>

namespace team {

namespace {

// The part of a path up to the next slash; removes both from the path.
std::string_view next_part(std::string_view& path) {
  path.remove_prefix(1);
  const std::string_view part = path.substr(0, path.find('/'));
  path.remove_prefix(part.size());
  return part;
}

bool matches(std::string_view pattern, std::string_view path, std::vector<std::string>& parameters) {
  while (!pattern.empty() && !path.empty()) {
    const std::string_view wanted = next_part(pattern);
    const std::string_view part = next_part(path);
    if (wanted.starts_with('{')) {
      if (part.empty()) return false;
      parameters.emplace_back(part);
    } else if (wanted != part) {
      return false;
    }
  }
  return pattern.empty() && path.empty();
}

}  // namespace

Router::Router(std::vector<Route> routes) : routes_(std::move(routes)) {}

Router::Found Router::find(std::string_view method, std::string_view path) const {
  Found found;
  if (!path.starts_with('/')) return found;
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  for (const Route& route : routes_) {
    std::vector<std::string> parameters;
    if (!matches(route.pattern, path, parameters)) continue;
    if (route.method == wanted) return {&route, std::move(parameters), {}};
    if (std::ranges::find(found.allowed, route.method) == found.allowed.end()) found.allowed.push_back(route.method);
  }
  return found;
}

}  // namespace team
