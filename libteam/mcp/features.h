// What an MCP server offers, as the protocol core sees it: tools, resources, prompts.
//
// The core (server.h) knows the messages of the protocol and nothing of teams; features know nothing of JSON-RPC.
// team_features.h implements them for a team.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "libteam/base/clock.h"
#include "libteam/base/json.h"
#include "libteam/mcp/protocol.h"

namespace team {

// Something that was delivered with a result, and that its client has not confirmed yet. The destructor takes it back.
class McpDelivery {
 public:
  virtual ~McpDelivery() = default;
  virtual void confirm() = 0;
};

// A question to the client, or through it to its user.
struct McpQuestion {
  std::string key;     // names its answer
  std::string method;  // elicitation/create
  std::string params;  // a JSON object
};

// Messages about a running request.
class McpNotifier {
 public:
  virtual ~McpNotifier() = default;
  // Nothing is sent if the client wants no progress.
  virtual void progress(double done, std::optional<double> total, const std::string& text) const = 0;
  // Nothing is sent if the client wants no log messages of this level.
  virtual void log(const std::string& level, const std::string& text) const = 0;
  // A notification that belongs to a subscription. `params` is a JSON object.
  virtual void notify(const std::string& method, const std::string& params) const = 0;
};

class McpWork;

// How a request ends, or goes on.
struct McpOutcome {
  std::string result;                     // a JSON object
  std::unique_ptr<McpDelivery> delivery;  // with the result
  std::vector<McpQuestion> questions;     // not empty: no result; the same request comes again with the answers
  std::string state;                      // comes with the answers
  std::unique_ptr<McpWork> work;          // set: no result yet
};

// The rest of a request that takes time.
class McpWork {
 public:
  virtual ~McpWork() = default;
  // Goes on without waiting. None: it is not finished.
  virtual std::optional<McpOutcome> step(const McpNotifier& notifier) = 0;
  // The next step is due at the latest then.
  virtual Deadline due() const = 0;
};

// What a client wants to hear of. Requests of one client and the thread of its subscription share it.
class McpInterests {
 public:
  struct Filter {
    bool tools = false, prompts = false, resources = false;  // changes of these lists
    std::set<std::string> uris;                              // changes of these resources
  };
  Filter get() const;
  void set(Filter filter);
  void add(const std::string& uri);
  void remove(const std::string& uri);

 private:
  mutable std::mutex mutex_;
  Filter filter_;
};

// Blocks the thread that has running requests.
class McpWaiting {
 public:
  virtual ~McpWaiting() = default;
  // Returns when a step of a request may find something, a descriptor can be read, or the deadline passed.
  virtual void wait(const Deadline& deadline) = 0;
};

struct McpOffer {
  bool resources = false, prompts = false, completions = false, logging = false;
  bool lists_change = false;  // the lists of tools and prompts can change
};

class McpFeatures {
 public:
  virtual ~McpFeatures() = default;

  virtual std::string name() const = 0;
  virtual std::string instructions() const = 0;
  virtual McpOffer offer() const = 0;

  // Each element is the JSON object that the client gets.
  virtual std::vector<std::string> tools() = 0;
  // A failure of the tool is a result. Throws RpcError for an unknown tool.
  virtual McpOutcome call_tool(const McpRequest& request, const std::string& name, const Json& arguments) = 0;

  virtual std::vector<std::string> resources() { return {}; }
  virtual std::vector<std::string> resource_templates() { return {}; }
  // The contents, as JSON objects; none if there is no such resource.
  virtual std::optional<std::vector<std::string>> read_resource(const std::string& uri);
  virtual std::vector<std::string> prompts() { return {}; }
  // Throws RpcError for an unknown prompt.
  virtual McpOutcome get_prompt(const McpRequest& request, const std::string& name, const Json& arguments);
  virtual std::vector<std::string> complete(const McpRequest&) { return {}; }
  // Tells of changes that `interests` names, without an end.
  virtual std::unique_ptr<McpWork> subscribe(std::shared_ptr<const McpInterests> interests) = 0;

  // Call it before the first step of a request: what changes after it ends the wait.
  virtual std::unique_ptr<McpWaiting> begin_waiting(const std::vector<int>& descriptors) = 0;
};

// A result of a tool with one text.
std::string tool_text(const std::string& text);
// The same for a failure.
std::string tool_error(const std::string& text);
// A text as a content block.
std::string text_content(const std::string& text);

}  // namespace team
