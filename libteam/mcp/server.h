// The protocol core of an MCP server: messages of one client in, answers and notifications out. It knows no
// descriptors: stdio.h and serve/mcp_routes.cc carry the messages.
//
// Several threads may use a server. Requests that take time become calls, which the caller drives: each by one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/mcp/call.h"
#include "libteam/mcp/deliveries.h"
#include "libteam/mcp/features.h"
#include "libteam/mcp/protocol.h"

namespace team {

// The size of the largest message.
inline constexpr std::size_t kLargestMcpMessage = std::size_t{4} << 20;

class McpServer : private McpCalls {
 public:
  // `moment` is the present moment, as McpDeliveries counts it. `deliveries` outlives this.
  McpServer(McpDeliveries& deliveries, std::function<std::uint64_t()> moment)
      : deliveries_(deliveries), moment_(std::move(moment)) {}

  // A message that came at this moment.
  struct Exchange {
    std::shared_ptr<McpFeatures> features;
    McpSend send;
    std::uint64_t moment = 0;
  };
  struct Receipt {
    std::shared_ptr<McpCall> call;  // the request goes on; null: it is answered, or needs no answer
    int error = 0;                  // the code of the error that was sent
    bool is_refused = false;        // the request was not run, because it is malformed
    McpRevision revision = McpRevision::r2026_07_28;
  };
  Receipt receive(const RpcMessage& message, const Exchange& exchange);
  // The same for a line; what is no message is answered by an error.
  Receipt receive(std::string_view line, const Exchange& exchange);

  // A call that tells of changes of the resources that the client subscribed to (up to 2025-11-25).
  std::shared_ptr<McpCall> listen(const std::shared_ptr<McpFeatures>& features, const McpSend& send);

  // True if listen() has something to tell of.
  bool has_subscriptions() const { return !interests_->get().uris.empty(); }
  // Set once the client has initialized.
  std::optional<McpRevision> revision() const;

 private:
  McpOutcome run(const std::shared_ptr<McpFeatures>& features, const McpRequest& request) override;
  std::string complete(const McpFeatures& features, const McpRequest& request, std::string result) const override;
  std::string register_question(const std::shared_ptr<McpCall>& call, const std::string& key) override;
  void forget(const McpCall& call) override;
  std::uint64_t moment() const override { return moment_(); }
  McpDeliveries& deliveries() override { return deliveries_; }

  Receipt receive_request(const RpcMessage& message, const Exchange& exchange);
  void receive_notification(const RpcMessage& message);
  void receive_answer(const RpcMessage& message);
  McpRequest to_request(const RpcMessage& message) const;
  std::string initialize(const McpFeatures& features, const McpRequest& request);
  McpOutcome listen_stateless(McpFeatures& features, const McpRequest& request) const;
  McpOutcome read_resource(McpFeatures& features, const McpRequest& request) const;
  McpOutcome change_subscription(const McpRequest& request);

  McpDeliveries& deliveries_;
  std::function<std::uint64_t()> moment_;
  const std::shared_ptr<McpInterests> interests_ = std::make_shared<McpInterests>();

  mutable std::mutex mutex_;  // of the following
  std::optional<McpRevision> revision_;
  McpClient client_;
  std::optional<std::string> log_level_;
  std::map<std::string, std::weak_ptr<McpCall>> calls_;  // by the id of the request
  std::vector<std::weak_ptr<McpCall>> listeners_;
  struct Question {
    std::weak_ptr<McpCall> call;
    std::string key;
  };
  std::map<std::string, Question> questions_;  // by our id
  std::int64_t last_question_ = 0;
};

}  // namespace team
