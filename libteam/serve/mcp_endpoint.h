// MCP over HTTP: POST brings a message, GET listens, DELETE ends a session.
//
// Clients of 2025-11-25 and before have a session, which begins with `initialize` and ends with DELETE or after an hour
// of silence. Later clients have none: each request stands alone, and deliveries wait for the next call of the same
// member. A request that takes time runs on its own thread, and its response is a stream.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "libteam/mcp/server.h"
#include "libteam/serve/access.h"
#include "libteam/serve/pushed_body.h"
#include "libteam/serve/router.h"

namespace team {

// Whom a request speaks for, and the features for one request.
struct McpDoor {
  std::string key;  // requests with the same key are of one member
  std::function<std::shared_ptr<McpFeatures>()> open;
};
using FindMcpDoor = std::function<McpDoor(const Service& service, const WebRequest& request)>;

class McpEndpoint {
 public:
  // At most `most_changes` calls of tools that change something in a second.
  McpEndpoint(FindMcpDoor find_door, std::int64_t most_changes)
      : find_door_(std::move(find_door)), changes_(most_changes) {}
  McpEndpoint(const McpEndpoint&) = delete;
  McpEndpoint& operator=(const McpEndpoint&) = delete;
  // Cancels all requests.
  ~McpEndpoint();

  WebResponse post(const Service& service, const WebRequest& request);
  WebResponse listen(const Service& service, const WebRequest& request);
  WebResponse end_session(const WebRequest& request);

 private:
  // The conversation of a client with a session, or of all clients of a member without one.
  struct Conversation {
    explicit Conversation(std::string door) : key(std::move(door)), server(deliveries, moment) {}
    std::string key;
    McpDeliveries deliveries;
    McpServer server;
    std::uint64_t used = moment();
  };
  struct Thread {
    std::thread thread;
    std::shared_ptr<McpCall> call;
    std::shared_ptr<bool> is_done;
  };

  static std::uint64_t moment();
  WebResponse post_message(const Service& service, const WebRequest& request, const RpcMessage& message);
  WebResponse exchange(const std::shared_ptr<Conversation>& conversation, const McpDoor& door,
                       const RpcMessage& message);
  std::shared_ptr<Conversation> begin_session(const std::string& key, std::string& id);
  // Null if there is no such session.
  std::shared_ptr<Conversation> find_session(const std::string& id);
  std::shared_ptr<Conversation> sessionless(const std::string& key);
  void take_back(const std::string& key);
  void forget_session(const std::string& id);
  void drop_silent();
  bool count_change();
  // False if there are too many.
  bool start(std::shared_ptr<Conversation> conversation, std::shared_ptr<McpCall> call,
             std::shared_ptr<PushedBody> body);
  void reap();

  FindMcpDoor find_door_;
  std::mutex mutex_;                                                  // of the following
  std::map<std::string, std::shared_ptr<Conversation>> sessions_;     // by id
  std::map<std::string, std::shared_ptr<Conversation>> sessionless_;  // by key
  std::list<Thread> threads_;
  RateLimit changes_;
};

// Routes for /mcp of this endpoint.
std::vector<Route> mcp_routes_of(const std::shared_ptr<McpEndpoint>& endpoint);

}  // namespace team
