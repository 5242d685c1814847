#include "libteam/serve/mcp_endpoint.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libteam/base/clock.h"
#include "libteam/mcp/team_features.h"
#include "libteam/serve/mcp_headers.h"

namespace team {

namespace {

constexpr std::size_t kMostThreads = 200;
constexpr std::size_t kMostSessions = 200;
constexpr std::uint64_t kSilence = 3600ULL * 1'000'000'000;  // nanoseconds until a session ends

std::string frame(const std::string& message) { return "event: message\n" + sse_frame(0, message); }

WebResponse rpc_response(int status, const std::string& id, int code, const std::string& text,
                         const std::string& data = "") {
  return json_response(rpc_error(id, code, text, data), status);
}

WebResponse accepted() {
  WebResponse response;
  response.status = 202;
  return response;
}

// What a request sends before it is known whether its response is a stream.
class Sink {
 public:
  const std::shared_ptr<PushedBody>& body() const { return body_; }
  std::vector<std::string>& messages() { return messages_; }

  // Copies of the function may be called by another thread, but not before stream().
  McpSend sender(const std::shared_ptr<Sink>& self) const {
    return [self](const std::string& message) { return self->send(message); };
  }
  void stream() {
    for (const std::string& message : messages_) body_->push(frame(message));
    streams_ = true;
  }

 private:
  bool send(const std::string& message) {
    if (streams_) return body_->deliver(frame(message));
    messages_.push_back(message);
    return true;
  }

  std::shared_ptr<PushedBody> body_ = std::make_shared<PushedBody>();
  std::vector<std::string> messages_;
  bool streams_ = false;
};

bool is_change(const RpcMessage& message) {
  if (message.method != "tools/call" || !message.body->is_object()) return false;
  const auto name = message.body->find("name");
  return name != message.body->end() && name->is_string() && !is_reading_tool(name->get<std::string>());
}

// The status of an answer that is an error.
int status_of_error(const McpServer::Receipt& receipt, bool is_stateless) {
  if (receipt.error == 0 || !is_stateless) return 200;
  if (receipt.error == static_cast<int>(RpcCode::method_not_found)) return 404;
  const bool is_protocol = receipt.error <= mcp_code::kHeaderMismatch && receipt.error >= mcp_code::kUnsupportedVersion;
  return receipt.is_refused || is_protocol ? 400 : 200;
}

void drive(const std::shared_ptr<McpCall>& call, PushedBody& body) {
  try {
    const auto waiting = call->begin_waiting({call->bell().fd()});
    while (!call->step()) waiting->wait(call->due());
  } catch (const std::exception&) {
    // The stream ends without an answer, and the client asks again.
  }
  body.end();
}

}  // namespace

std::uint64_t McpEndpoint::moment() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

McpEndpoint::~McpEndpoint() {
  for (Thread& one : threads_) one.call->cancel();
  for (Thread& one : threads_) one.thread.join();
}

WebResponse McpEndpoint::post(const Service& service, const WebRequest& request) {
  RpcMessage message;
  try {
    message = parse_rpc(request.body, {.bytes = kLargestMcpMessage});
    return post_message(service, request, message);
  } catch (const RpcError& error) {
    return rpc_response(400, error.id().empty() ? message.id : error.id(), error.code(), error.what(), error.data());
  }
}

WebResponse McpEndpoint::post_message(const Service& service, const WebRequest& request, const RpcMessage& message) {
  const McpDoor door = find_door_(service, request);
  if (is_stateless_request(request, message)) {
    check_mcp_headers(request, message);
    // A client without a session cancels a request by closing its stream. It is asked nothing by a request.
    if (message.kind != RpcMessage::Kind::request) return accepted();
    if (message.method == "server/discover") take_back(door.key);
    return exchange(sessionless(door.key), door, message);
  }
  const auto version = request.find_header("mcp-protocol-version");
  if (version && !parse_revision(*version) && message.method != "initialize") {
    return rpc_response(400, message.id, mcp_code::kUnsupportedVersion, "this revision is not supported");
  }
  if (message.kind == RpcMessage::Kind::request && message.method == "initialize") {
    take_back(door.key);
    std::string id;
    const auto conversation = begin_session(door.key, id);
    WebResponse response = exchange(conversation, door, message);
    if (conversation->server.revision()) response.headers.emplace_back("Mcp-Session-Id", id);
    else forget_session(id);
    return response;
  }
  const auto id = request.find_header("mcp-session-id");
  if (!id) {
    const int code = static_cast<int>(RpcCode::invalid_request);
    return rpc_response(400, message.id, code, "the header Mcp-Session-Id is missing; initialize begins a session");
  }
  const auto conversation = find_session(*id);
  if (!conversation || conversation->key != door.key) {
    return rpc_response(404, message.id, static_cast<int>(RpcCode::invalid_request), "the session has ended");
  }
  return exchange(conversation, door, message);
}

WebResponse McpEndpoint::exchange(const std::shared_ptr<Conversation>& conversation, const McpDoor& door,
                                  const RpcMessage& message) {
  const bool is_request = message.kind == RpcMessage::Kind::request;
  if (is_request && is_change(message) && !count_change()) {
    return rpc_response(429, message.id, static_cast<int>(RpcCode::internal_error), "more than 50 changes in a second");
  }
  const auto sink = std::make_shared<Sink>();
  McpServer::Exchange exchange{is_request ? door.open() : nullptr, sink->sender(sink), moment()};
  const auto receipt = conversation->server.receive(message, exchange);
  if (!is_request) return accepted();
  WebResponse response;
  if (receipt.call) {
    sink->stream();
    if (!start(conversation, receipt.call, sink->body())) {
      return rpc_response(503, message.id, static_cast<int>(RpcCode::internal_error), "too many requests are waiting");
    }
    response.type = "text/event-stream";
    response.pushed = sink->body();
    return response;
  }
  const auto& messages = sink->messages();
  if (messages.size() == 1) {
    return json_response(messages.front(), status_of_error(receipt, is_stateless(receipt.revision)));
  }
  response.type = "text/event-stream";
  for (const std::string& one : messages) response.body += frame(one);
  return response;
}

WebResponse McpEndpoint::listen(const Service& service, const WebRequest& request) {
  const auto id = request.find_header("mcp-session-id");
  if (!id || !accepts_stream(request)) {
    WebResponse refusal = error_response(405, Code::usage, "GET /mcp listens for a session: Mcp-Session-Id");
    refusal.headers.emplace_back("Allow", "POST, DELETE");
    return refusal;
  }
  const McpDoor door = find_door_(service, request);
  const auto conversation = find_session(*id);
  if (!conversation || conversation->key != door.key)
    return error_response(404, Code::not_found, "the session has ended");
  const auto sink = std::make_shared<Sink>();
  sink->stream();
  sink->body()->push(": listening\n\n");
  const auto call = conversation->server.listen(door.open(), sink->sender(sink));
  if (!start(conversation, call, sink->body())) {
    return error_response(503, Code::again, "too many requests are waiting");
  }
  WebResponse response;
  response.type = "text/event-stream";
  response.pushed = sink->body();
  return response;
}

WebResponse McpEndpoint::end_session(const WebRequest& request) {
  const auto id = request.find_header("mcp-session-id");
  if (!id) return error_response(400, Code::usage, "the header Mcp-Session-Id is missing");
  const std::lock_guard guard(mutex_);
  if (sessions_.erase(*id) == 0) return error_response(404, Code::not_found, "the session has ended");
  WebResponse response;
  response.status = 204;
  return response;
}

void McpEndpoint::forget_session(const std::string& id) {
  const std::lock_guard guard(mutex_);
  sessions_.erase(id);
}

bool McpEndpoint::count_change() {
  const std::lock_guard guard(mutex_);
  return changes_.count(now());
}

std::shared_ptr<McpEndpoint::Conversation> McpEndpoint::begin_session(const std::string& key, std::string& id) {
  id = make_token();
  const auto conversation = std::make_shared<Conversation>(key);
  const std::lock_guard guard(mutex_);
  drop_silent();
  sessions_[id] = conversation;
  return conversation;
}

std::shared_ptr<McpEndpoint::Conversation> McpEndpoint::find_session(const std::string& id) {
  const std::lock_guard guard(mutex_);
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return nullptr;
  found->second->used = moment();
  return found->second;
}

std::shared_ptr<McpEndpoint::Conversation> McpEndpoint::sessionless(const std::string& key) {
  const std::lock_guard guard(mutex_);
  auto& found = sessionless_[key];
  if (!found) found = std::make_shared<Conversation>(key);
  return found;
}

// A client of this member begins anew: what it, or the client before it, did not confirm is delivered again.
void McpEndpoint::take_back(const std::string& key) {
  const std::lock_guard guard(mutex_);
  for (auto* conversations : {&sessions_, &sessionless_}) {
    for (const auto& [name, conversation] : *conversations) {
      if (conversation->key == key) conversation->deliveries.take_back();
    }
  }
}

// Call it with the lock.
void McpEndpoint::drop_silent() {
  const std::uint64_t now = moment();
  std::erase_if(sessions_, [&](const auto& one) { return now - one.second->used > kSilence; });
  while (sessions_.size() >= kMostSessions) {
    sessions_.erase(std::ranges::min_element(sessions_, {}, [](const auto& one) { return one.second->used; }));
  }
}

bool McpEndpoint::start(std::shared_ptr<Conversation> conversation, std::shared_ptr<McpCall> call,
                        std::shared_ptr<PushedBody> body) {
  const std::lock_guard guard(mutex_);
  reap();
  if (threads_.size() >= kMostThreads) return false;
  body->on_gone([call] { call->cancel(); });
  const auto is_done = std::make_shared<bool>(false);
  threads_.push_back({{}, call, is_done});
  threads_.back().thread = std::thread([this, conversation, call, body, is_done] {
    drive(call, *body);
    const std::lock_guard done(mutex_);
    *is_done = true;
  });
  return true;
}

// Call it with the lock.
void McpEndpoint::reap() {
  for (auto one = threads_.begin(); one != threads_.end();) {
    if (!*one->is_done) {
      ++one;
      continue;
    }
    one->thread.join();
    one = threads_.erase(one);
  }
}

std::vector<Route> mcp_routes_of(const std::shared_ptr<McpEndpoint>& endpoint) {
  const auto post = [endpoint](const Service& service, const WebRequest& request) {
    return endpoint->post(service, request);
  };
  const auto listen = [endpoint](const Service& service, const WebRequest& request) {
    return endpoint->listen(service, request);
  };
  const auto end = [endpoint](const Service&, const WebRequest& request) { return endpoint->end_session(request); };
  return {{"POST", "/mcp", Route::Kind::mixed, post},
          {"GET", "/mcp", Route::Kind::mixed, listen},
          {"DELETE", "/mcp", Route::Kind::mixed, end}};
}

}  // namespace team
