// The HTTP server: connections, limits, streams. Its source is the only one that knows Beast.
//
// One thread reads and writes all connections. Handlers that may wait run on a few other threads. The server keeps no
// state of the teams: a killed server loses nothing that was answered.
#pragma once

#include <chrono>
#include <memory>

#include "libteam/serve/access.h"
#include "libteam/serve/router.h"
#include "libteam/serve/service.h"
#include "libteam/system/listener.h"

namespace team {

struct ServerLimits {
  std::size_t header_bytes = 16 * 1024;
  std::size_t body_bytes = 1024 * 1024;
  std::size_t streams = 1000;
  std::size_t other_connections = 100;       // besides the streams
  std::chrono::seconds request{10};          // to receive a request
  std::chrono::seconds keep_alive{30};       // between two requests
  std::chrono::seconds stuck{30};            // a stream whose client takes nothing
  std::chrono::seconds comment{25};          // between two comments of a quiet stream
  std::chrono::milliseconds farewell{2000};  // for open connections at the end
};

struct ServerLoop;

class Server {
 public:
  // Everything outlives this.
  Server(const Listener& listener, const Service& service, const Router& router, Access& access, ServerLimits limits);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  // Serves until the process gets SIGINT, SIGTERM or SIGHUP. Then streams get a last comment, and requests that were
  // received are answered within ServerLimits::farewell.
  void run();

 private:
  std::unique_ptr<ServerLoop> loop_;
};

}  // namespace team
