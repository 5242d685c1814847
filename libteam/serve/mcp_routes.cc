#include "libteam/mcp/team_features.h"
#include "libteam/record/actor.h"
#include "libteam/serve/mcp_endpoint.h"

namespace team {

namespace {

// The address names the team and the member: /mcp?team=alpha&as=bob.
McpDoor find_door(const Service& service, const WebRequest& request) {
  const std::optional<std::string> as = request.find_query("as");
  const std::string team = service.team_of(request);
  TeamFeatureOptions options;
  options.self = choose_actor(service.options().member, as);
  options.read_only = service.options().read_only;
  service.engine().get(team);  // throws if there is no such team
  return {team + " " + options.self, [&service, team, as, options] {
            // Returns the session to the service together with the features.
            const auto session = std::make_shared<Service::Session>();
            const auto open = [&service, team, as, session]() -> TeamSession& {
              *session = service.open_session(team, as);
              return **session;
            };
            return std::make_shared<TeamFeatures>(open, options);
          }};
}

}  // namespace

std::vector<Route> mcp_routes() {
  constexpr std::int64_t kMostChanges = 50;  // as for the endpoints that change something
  return mcp_routes_of(std::make_shared<McpEndpoint>(find_door, kMostChanges));
}

}  // namespace team
