#include "libteam/mcp/call.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "libteam/base/json_text.h"

namespace team {

namespace {

constexpr std::array<std::string_view, 8> kLevels = {"debug", "info",     "notice", "warning",
                                                     "error", "critical", "alert",  "emergency"};

std::size_t rank_of(std::string_view level) {
  return static_cast<std::size_t>(std::find(kLevels.begin(), kLevels.end(), level) - kLevels.begin());
}

// The object with one more member.
std::string with_member(std::string object, std::string_view member) {
  object.pop_back();
  if (object.size() > 1) object += ',';
  return object.append(member) + "}";
}

std::string subscription_meta(const std::string& id) {
  return fmt::format(R"("_meta":{{"{}":{}}})", mcp_meta::kSubscription, id);
}

}  // namespace

class McpCall::Notifier : public McpNotifier {
 public:
  explicit Notifier(McpCall& call) : call_(call) {}

  void progress(double done, std::optional<double> total, const std::string& text) const override {
    const McpRequest& request = call_.request_;
    if (request.progress_token.empty()) return;
    JsonText params;
    params.add_json("progressToken", request.progress_token);
    params.add("progress", done);
    if (total) params.add("total", *total);
    if (!text.empty()) params.add("message", text);
    send("notifications/progress", params.take());
  }

  void log(const std::string& level, const std::string& text) const override {
    const McpRequest& request = call_.request_;
    if (!request.log_level || rank_of(level) < rank_of(*request.log_level)) return;
    JsonText params;
    params.add("level", level);
    params.add("data", text);
    send("notifications/message", params.take());
  }

  void notify(const std::string& method, const std::string& params) const override {
    const McpRequest& request = call_.request_;
    const bool is_tagged = is_stateless(request.revision) && !request.id.empty();
    send(method, is_tagged ? with_member(params, subscription_meta(request.id)) : params);
  }

 private:
  void send(const std::string& method, const std::string& params) const {
    if (!call_.send_(rpc_notification(method, params))) call_.cancel();
  }

  McpCall& call_;
};

McpCall::McpCall(McpCalls& calls, std::shared_ptr<McpFeatures> features, McpRequest request, McpSend send)
    : calls_(calls), features_(std::move(features)), request_(std::move(request)), send_(std::move(send)) {}

int McpCall::begin() {
  try {
    return conclude(calls_.run(features_, request_));
  } catch (const RpcError& error) {
    return finish(rpc_error(request_.id, error.code(), error.what(), error.data()), error.code());
  }
}

void McpCall::begin_with(std::unique_ptr<McpWork> work) { work_ = std::move(work); }

Deadline McpCall::due() const { return work_ ? work_->due() : Deadline::never(); }

bool McpCall::step() {
  bell_.take();
  bool is_cancelled = false;
  bool ends = false;
  {
    const std::lock_guard guard(mutex_);
    is_cancelled = is_cancelled_;
    ends = ends_;
  }
  if (is_cancelled) {
    work_.reset();
    calls_.forget(*this);
    is_finished_ = true;
  } else if (ends && !request_.id.empty()) {
    finish(rpc_result(request_.id, calls_.complete(*features_, request_, "{}")), 0);
  }
  if (is_finished_) return true;
  try {
    if (work_) {
      if (auto outcome = work_->step(Notifier(*this))) conclude(std::move(*outcome));
    } else if (auto again = answered()) {
      request_ = std::move(*again);
      conclude(calls_.run(features_, request_));
    }
  } catch (const RpcError& error) {
    finish(rpc_error(request_.id, error.code(), error.what(), error.data()), error.code());
  }
  return is_finished_;
}

int McpCall::conclude(McpOutcome outcome) {
  if (outcome.work) {
    work_ = std::move(outcome.work);
    return 0;
  }
  work_.reset();
  if (!outcome.questions.empty()) {
    ask(outcome);
    return 0;
  }
  const std::string message = rpc_result(request_.id, calls_.complete(*features_, request_, std::move(outcome.result)));
  // Before it is sent: a fast client calls again before send_ returns.
  const std::uint64_t moment = calls_.moment();
  const bool has_arrived = send_(message);
  // Otherwise its destructor takes it back.
  if (has_arrived && outcome.delivery) calls_.deliveries().add(std::move(outcome.delivery), moment);
  calls_.forget(*this);
  is_finished_ = true;
  return 0;
}

// Up to 2025-11-25 the server sends requests; later the result holds the questions.
void McpCall::ask(const McpOutcome& outcome) {
  if (is_stateless(request_.revision)) {
    std::string questions = "{";
    for (const McpQuestion& question : outcome.questions) {
      JsonText one;
      one.add("method", question.method);
      one.add_json("params", question.params);
      if (questions.size() > 1) questions += ',';
      append_quoted(questions, question.key);
      questions += ":" + one.take();
    }
    JsonText result;
    result.add("resultType", "input_required");
    result.add_json("inputRequests", questions + "}");
    if (!outcome.state.empty()) result.add("requestState", outcome.state);
    finish(rpc_result(request_.id, calls_.complete(*features_, request_, result.take())), 0);
    return;
  }
  state_ = outcome.state;
  asked_ = outcome.questions.size();
  {
    const std::lock_guard guard(mutex_);
    answers_.clear();
  }
  for (const McpQuestion& question : outcome.questions) {
    const std::string id = calls_.register_question(shared_from_this(), question.key);
    if (!send_(rpc_request(id, question.method, question.params))) cancel();
  }
}

// The request with the answers, once all are here.
std::optional<McpRequest> McpCall::answered() {
  const std::lock_guard guard(mutex_);
  if (asked_ == 0 || answers_.size() < asked_) return std::nullopt;
  McpRequest again = request_;
  Json answers = Json::object();
  for (const auto& [key, text] : answers_) answers[key] = Json::parse(text);
  again.answers = std::make_shared<const Json>(std::move(answers));
  again.state = state_;
  asked_ = 0;
  return again;
}

int McpCall::finish(const std::string& message, int error) {
  work_.reset();
  send_(message);
  calls_.forget(*this);
  is_finished_ = true;
  return error;
}

void McpCall::cancel() {
  const std::lock_guard guard(mutex_);
  is_cancelled_ = true;
  bell_.ring();
}

void McpCall::end_gracefully() {
  const std::lock_guard guard(mutex_);
  ends_ = true;
  bell_.ring();
}

void McpCall::take_answer(const std::string& key, std::string answer) {
  const std::lock_guard guard(mutex_);
  answers_[key] = std::move(answer);
  bell_.ring();
}

}  // namespace team
