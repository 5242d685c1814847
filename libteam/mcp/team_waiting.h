// Waits for anything in a team that may concern a request of an MCP client.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "libteam/mcp/features.h"
#include "libteam/mcp/team_door.h"
#include "libteam/store/waiter.h"

namespace team {

class TeamWaiting : public McpWaiting {
 public:
  // The watch begins here. `door` outlives this.
  TeamWaiting(TeamDoor& door, std::vector<int> descriptors);

  void wait(const Deadline& deadline) override;

 private:
  void begin();

  TeamDoor& door_;
  std::vector<int> descriptors_;
  std::unique_ptr<Waiter> waiter_;  // null: the store could not be watched
  std::int64_t generation_ = 0;
};

}  // namespace team
