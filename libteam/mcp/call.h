// A request of an MCP client that is not answered yet.
//
// One thread drives a call by step(); others may cancel it or bring answers of the client.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "libteam/mcp/deliveries.h"
#include "libteam/mcp/features.h"
#include "libteam/system/event_fd.h"

namespace team {

// Sends one message to the client; false if the client is gone.
using McpSend = std::function<bool(const std::string& message)>;

// What every call needs from its server.
class McpCalls {
 public:
  virtual ~McpCalls() = default;
  virtual McpOutcome run(const std::shared_ptr<McpFeatures>& features, const McpRequest& request) = 0;
  // The result as the client gets it: with the members that its revision wants.
  virtual std::string complete(const McpFeatures& features, const McpRequest& request, std::string result) const = 0;
  // A new id for a question to the client; the answer goes to the call.
  virtual std::string register_question(const std::shared_ptr<class McpCall>& call, const std::string& key) = 0;
  virtual void forget(const class McpCall& call) = 0;
  virtual std::uint64_t moment() const = 0;
  virtual McpDeliveries& deliveries() = 0;
};

class McpCall : public std::enable_shared_from_this<McpCall> {
 public:
  // Everything outlives this.
  McpCall(McpCalls& calls, std::shared_ptr<McpFeatures> features, McpRequest request, McpSend send);

  const McpRequest& request() const { return request_; }

  // Runs the request. Returns the code of the error that it was answered with; 0: none.
  int begin();
  // Goes on with this work, for what no request asked for: it has no answer.
  void begin_with(std::unique_ptr<McpWork> work);
  // Goes on without waiting. True: it is answered, or cancelled.
  bool step();
  bool is_finished() const { return is_finished_; }
  Deadline due() const;
  std::unique_ptr<McpWaiting> begin_waiting(const std::vector<int>& descriptors) const {
    return features_->begin_waiting(descriptors);
  }

  // Any thread: readable when a step is due because of the following.
  const EventFd& bell() const { return bell_; }
  void cancel();
  // An answer of the client, as a JSON text.
  void take_answer(const std::string& key, std::string answer);
  // Ends a subscription with a result.
  void end_gracefully();

 private:
  class Notifier;
  int conclude(McpOutcome outcome);
  void ask(const McpOutcome& outcome);
  int finish(const std::string& message, int error);
  std::optional<McpRequest> answered();

  McpCalls& calls_;
  std::shared_ptr<McpFeatures> features_;
  McpRequest request_;
  McpSend send_;
  bool is_finished_ = false;
  std::unique_ptr<McpWork> work_;
  std::string state_;
  std::size_t asked_ = 0;  // questions that wait for answers

  EventFd bell_;
  std::mutex mutex_;  // of the following
  bool is_cancelled_ = false;
  bool ends_ = false;
  std::map<std::string, std::string> answers_;
};

}  // namespace team
