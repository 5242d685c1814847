#include "libteam/mcp/server.h"

#include <nlohmann/json.hpp>

#include "libteam/base/json_text.h"
#include "libteam/base/terminal_text.h"

namespace team {

namespace {

// Lists and contents change at any time.
constexpr std::string_view kCaching = R"("ttlMs":0,"cacheScope":"private")";

bool is_cacheable(const std::string& method) {
  return method == "tools/list" || method == "prompts/list" || method == "resources/list" ||
         method == "resources/templates/list" || method == "resources/read" || method == "server/discover";
}

std::string server_info(const McpFeatures& features) {
  JsonText info;
  info.add("name", features.name());
  info.add("version", TEAMKIT_VERSION);
  return info.take();
}

std::string capabilities_of(const McpOffer& offer) {
  const std::string changing = offer.lists_change ? R"({"listChanged":true})" : "{}";
  JsonText capabilities;
  capabilities.add_json("tools", changing);
  if (offer.resources) capabilities.add_json("resources", R"({"subscribe":true})");
  if (offer.prompts) capabilities.add_json("prompts", changing);
  if (offer.completions) capabilities.add_json("completions", "{}");
  if (offer.logging) capabilities.add_json("logging", "{}");
  return capabilities.take();
}

std::string discover(const McpFeatures& features) {
  JsonText result;
  result.add_json("supportedVersions", json_array_of_texts(all_revisions()));
  result.add_json("capabilities", capabilities_of(features.offer()));
  result.add("instructions", features.instructions());
  return result.take();
}

std::string list(const char* key, const std::vector<std::string>& elements) {
  JsonText result;
  result.add_json(key, json_array(elements));
  return result.take();
}

// An object of the params; an empty one if it is absent.
const Json& object_in(const McpRequest& request, const char* key) {
  static const Json kNone = Json::object();
  const auto found = request.params->find(key);
  if (found == request.params->end() || found->is_null()) return kNone;
  if (!found->is_object()) refuse_params(fmt::format("'{}' must be an object", key));
  return *found;
}

[[noreturn]] void refuse_method(const McpRequest& request) {
  throw RpcError(RpcCode::method_not_found, "no method '" + one_line(request.method.substr(0, 100)) + "'", "");
}

std::string completion(const std::vector<std::string>& values) {
  JsonText completion;
  completion.add_json("values", json_array_of_texts(values));
  completion.add("total", static_cast<std::int64_t>(values.size()));
  completion.add("hasMore", false);
  JsonText result;
  result.add_json("completion", completion.take());
  return result.take();
}

McpOutcome done(std::string result) {
  McpOutcome outcome;
  outcome.result = std::move(result);
  return outcome;
}

// Says first what the subscription covers, then goes on with it.
class Subscription : public McpWork {
 public:
  Subscription(std::string accepted, std::unique_ptr<McpWork> work)
      : accepted_(std::move(accepted)), work_(std::move(work)) {}

  std::optional<McpOutcome> step(const McpNotifier& notifier) override {
    if (!accepted_.empty()) {
      JsonText params;
      params.add_json("notifications", std::exchange(accepted_, ""));
      notifier.notify("notifications/subscriptions/acknowledged", params.take());
    }
    return work_->step(notifier);
  }
  Deadline due() const override { return work_->due(); }

 private:
  std::string accepted_;
  std::unique_ptr<McpWork> work_;
};

}  // namespace

std::optional<McpRevision> McpServer::revision() const {
  const std::lock_guard guard(mutex_);
  return revision_;
}

McpServer::Receipt McpServer::receive(std::string_view line, const Exchange& exchange) {
  try {
    return receive(parse_rpc(line, {.bytes = kLargestMcpMessage}), exchange);
  } catch (const RpcError& error) {
    exchange.send(rpc_error(error.id(), error.code(), error.what(), error.data()));
    return {nullptr, error.code()};
  }
}

McpServer::Receipt McpServer::receive(const RpcMessage& message, const Exchange& exchange) {
  switch (message.kind) {
    case RpcMessage::Kind::request: return receive_request(message, exchange);
    case RpcMessage::Kind::notification: receive_notification(message); break;
    case RpcMessage::Kind::result:
    case RpcMessage::Kind::error: receive_answer(message); break;
  }
  return {};
}

McpRequest McpServer::to_request(const RpcMessage& message) const {
  const std::lock_guard guard(mutex_);
  if (has_own_revision(message)) return parse_stateless(message);
  if (message.method == "initialize" || revision_) {
    auto request = parse_initialized(message, revision_.value_or(McpRevision::r2025_11_25), client_);
    request.log_level = log_level_;
    return request;
  }
  // A client may ask whether the server lives before it initializes.
  if (message.method == "ping") return parse_initialized(message, McpRevision::r2025_11_25, {});
  return parse_stateless(message);
}

McpServer::Receipt McpServer::receive_request(const RpcMessage& message, const Exchange& exchange) {
  std::shared_ptr<McpCall> call;
  try {
    call =
        std::make_shared<McpCall>(static_cast<McpCalls&>(*this), exchange.features, to_request(message), exchange.send);
  } catch (const RpcError& error) {
    exchange.send(rpc_error(message.id, error.code(), error.what(), error.data()));
    return {nullptr, error.code(), true};
  }
  const McpRequest& request = call->request();
  if (request.method == "tools/call") deliveries_.confirm_until(exchange.moment);
  if (request.method == "initialize" || request.method == "server/discover") deliveries_.take_back();
  {
    const std::lock_guard guard(mutex_);
    calls_[message.id] = call;
  }
  const int error = call->begin();
  const McpRevision revision = request.revision;
  if (call->is_finished()) return {nullptr, error, false, revision};
  return {call, 0, false, revision};
}

void McpServer::receive_notification(const RpcMessage& message) {
  if (message.method != "notifications/cancelled" || !message.body->is_object()) return;
  const auto id = message.body->find("requestId");
  if (id == message.body->end()) return;
  std::shared_ptr<McpCall> call;
  {
    const std::lock_guard guard(mutex_);
    const auto found = calls_.find(dump_line(*id));
    if (found != calls_.end()) call = found->second.lock();
  }
  // A request that was answered already is not there any more.
  if (call) call->cancel();
}

void McpServer::receive_answer(const RpcMessage& message) {
  Question question;
  {
    const std::lock_guard guard(mutex_);
    const auto found = questions_.find(message.id);
    if (found == questions_.end()) return;
    question = found->second;
    questions_.erase(found);
  }
  const auto call = question.call.lock();
  if (!call) return;
  const bool is_usable = message.kind == RpcMessage::Kind::result && message.body->is_object();
  call->take_answer(question.key, is_usable ? dump_line(*message.body) : R"({"action":"cancel"})");
}

std::string McpServer::register_question(const std::shared_ptr<McpCall>& call, const std::string& key) {
  const std::lock_guard guard(mutex_);
  const std::string id = fmt::format("\"t{}\"", ++last_question_);
  questions_[id] = {call, key};
  return id;
}

void McpServer::forget(const McpCall& call) {
  const std::lock_guard guard(mutex_);
  const auto found = calls_.find(call.request().id);
  if (found != calls_.end() && found->second.lock().get() == &call) calls_.erase(found);
}

std::string McpServer::complete(const McpFeatures& features, const McpRequest& request, std::string result) const {
  if (!is_stateless(request.revision)) return result;
  std::string more;
  if (result.find(R"("resultType":"input_required")") != 1) more += R"(,"resultType":"complete")";
  if (is_cacheable(request.method)) more += fmt::format(",{}", kCaching);
  const bool is_subscription = request.method == "subscriptions/listen";
  more += fmt::format(R"(,"_meta":{{"{}":{}{}}})", mcp_meta::kServer, server_info(features),
                      is_subscription ? fmt::format(R"(,"{}":{})", mcp_meta::kSubscription, request.id) : "");
  result.pop_back();
  result += result.size() == 1 ? more.substr(1) : more;
  return result + "}";
}

McpOutcome McpServer::run(const std::shared_ptr<McpFeatures>& shared, const McpRequest& request) {
  McpFeatures& features = *shared;
  const std::string& method = request.method;
  const bool has_own = is_stateless(request.revision);
  const McpOffer offer = features.offer();
  if (method == "tools/list") return done(list("tools", features.tools()));
  if (method == "tools/call") {
    return features.call_tool(request, request.needed_text("name"), object_in(request, "arguments"));
  }
  if (offer.resources) {
    if (method == "resources/list") return done(list("resources", features.resources()));
    if (method == "resources/templates/list") return done(list("resourceTemplates", features.resource_templates()));
    if (method == "resources/read") return read_resource(features, request);
    if (!has_own && (method == "resources/subscribe" || method == "resources/unsubscribe")) {
      return change_subscription(request);
    }
  }
  if (offer.prompts) {
    if (method == "prompts/list") return done(list("prompts", features.prompts()));
    if (method == "prompts/get") {
      return features.get_prompt(request, request.needed_text("name"), object_in(request, "arguments"));
    }
  }
  if (offer.completions && method == "completion/complete") return done(completion(features.complete(request)));
  if (has_own) {
    if (method == "server/discover") return done(discover(features));
    if (method == "subscriptions/listen") return listen_stateless(features, request);
    refuse_method(request);
  }
  if (method == "initialize") return done(initialize(features, request));
  if (method == "ping") return done("{}");
  if (offer.logging && method == "logging/setLevel") {
    const std::lock_guard guard(mutex_);
    log_level_ = request.needed_text("level");
    return done("{}");
  }
  refuse_method(request);
}

std::string McpServer::initialize(const McpFeatures& features, const McpRequest& request) {
  const McpRevision revision = settle_revision(request.needed_text("protocolVersion"));
  {
    const std::lock_guard guard(mutex_);
    revision_ = revision;
    client_ = parse_client(object_in(request, "capabilities"));
    // Before a client chooses a level, the server decides.
    log_level_ = features.offer().logging ? std::optional<std::string>("info") : std::nullopt;
  }
  JsonText result;
  result.add("protocolVersion", name_of(revision));
  result.add_json("capabilities", capabilities_of(features.offer()));
  result.add_json("serverInfo", server_info(features));
  result.add("instructions", features.instructions());
  return result.take();
}

McpOutcome McpServer::read_resource(McpFeatures& features, const McpRequest& request) const {
  const std::string uri = request.needed_text("uri");
  const auto contents = features.read_resource(uri);
  if (contents) return done(list("contents", *contents));
  JsonText data;
  data.add("uri", uri);
  const int code =
      is_stateless(request.revision) ? static_cast<int>(RpcCode::invalid_params) : mcp_code::kResourceNotFound;
  throw RpcError(code, "no resource '" + one_line(uri.substr(0, 200)) + "'", "", data.take());
}

McpOutcome McpServer::change_subscription(const McpRequest& request) {
  const std::string uri = request.needed_text("uri");
  if (request.method == "resources/subscribe") interests_->add(uri);
  else interests_->remove(uri);
  // A listener looks at a new resource at once, so that it sees the next change.
  const std::lock_guard guard(mutex_);
  for (const auto& listener : listeners_) {
    if (const auto call = listener.lock()) call->bell().ring();
  }
  return done("{}");
}

McpOutcome McpServer::listen_stateless(McpFeatures& features, const McpRequest& request) const {
  const Json& wanted = object_in(request, "notifications");
  const auto wants = [&](const char* key) { return wanted.value(key, Json(false)) == Json(true); };
  const McpOffer offer = features.offer();
  McpInterests::Filter filter;
  JsonText accepted;
  filter.tools = offer.lists_change && wants("toolsListChanged");
  if (filter.tools) accepted.add("toolsListChanged", true);
  filter.prompts = offer.lists_change && wants("promptsListChanged");
  if (filter.prompts) accepted.add("promptsListChanged", true);
  const auto uris = wanted.find("resourceSubscriptions");
  if (offer.resources && uris != wanted.end() && uris->is_array()) {
    for (const Json& uri : *uris) {
      if (uri.is_string()) filter.uris.insert(uri.get<std::string>());
    }
    const std::vector<std::string> all(filter.uris.begin(), filter.uris.end());
    accepted.add_json("resourceSubscriptions", json_array_of_texts(all));
  }
  const auto interests = std::make_shared<McpInterests>();
  interests->set(std::move(filter));
  McpOutcome outcome;
  outcome.work = std::make_unique<Subscription>(accepted.take(), features.subscribe(interests));
  return outcome;
}

std::shared_ptr<McpCall> McpServer::listen(const std::shared_ptr<McpFeatures>& features, const McpSend& send) {
  McpRequest request;
  request.params = std::make_shared<const Json>(Json::object());
  request.revision = revision().value_or(McpRevision::r2025_11_25);
  auto call = std::make_shared<McpCall>(static_cast<McpCalls&>(*this), features, request, send);
  call->begin_with(features->subscribe(interests_));
  const std::lock_guard guard(mutex_);
  std::erase_if(listeners_, [](const auto& listener) { return listener.expired(); });
  listeners_.push_back(call);
  return call;
}

}  // namespace team
