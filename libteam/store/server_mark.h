// The mark of the server that runs on a store. There is at most one at a time.
#pragma once

#include <string>

namespace team {

// Held by the server for its life. If its process dies, the mark is free at once.
class ServerMark {
 public:
  virtual ~ServerMark() = default;

  // Publishes how to reach the server, for Engine::running_server(). Only this user can read it.
  virtual void publish(const std::string& description) const = 0;
};

}  // namespace team
