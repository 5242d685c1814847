#include "libteam/agent/acp/connection.h"

#include <cstring>

#include "libteam/base/terminal_text.h"
#include "libteam/base/utf8.h"
#include "libteam/record/usage_limit.h"

namespace team {

namespace {

// Agents send whole files and the output of programs in one line.
constexpr std::size_t kLongestLine = std::size_t{64} << 20;
constexpr JsonLimits kLimits = {.bytes = kLongestLine, .depth = 64};
constexpr std::size_t kMostErrors = 16 * 1024;
constexpr int kMostNotes = 3;

std::string excerpt(std::string_view line) {
  constexpr std::size_t kShown = 120;
  return cut_characters(one_line(repair_utf8(line.substr(0, 4 * kShown))), kShown);
}

}  // namespace

AgentConnection::AgentConnection(const Program& program, Ears ears)
    : child_(program), ears_(std::move(ears)), lines_(kLongestLine) {}

std::int64_t AgentConnection::request(std::string_view method, std::string_view parameters) {
  ++last_id_;
  child_.write(rpc_request(std::to_string(last_id_), method, parameters) + "\n");
  return last_id_;
}

void AgentConnection::notify(std::string_view method, std::string_view parameters) {
  child_.write(rpc_notification(method, parameters) + "\n");
}

void AgentConnection::answer(std::string_view id, std::string_view result) {
  child_.write(rpc_result(id, result) + "\n");
}

void AgentConnection::refuse(std::string_view id, RpcCode code, std::string_view text) {
  child_.write(rpc_error(id, static_cast<int>(code), text) + "\n");
}

Child::Woke AgentConnection::wait(const Deadline& deadline, int interrupt) {
  if (has_ended_) return Child::Woke::ended;
  const Child::Woke woke = child_.wait(deadline, interrupt, [this](Child::Stream stream, std::string_view text) {
    if (stream == Child::Stream::out) read(text);
    else hear_error(text);
  });
  has_ended_ = woke == Child::Woke::ended;
  return woke;
}

void AgentConnection::read(std::string_view bytes) {
  lines_.add(bytes);
  while (const auto line = lines_.next()) {
    try {
      if (line->is_too_long) throw RpcError(RpcCode::invalid_request, "it is longer than 64 MiB", "");
      messages_.push_back(parse_rpc(line->text, kLimits));
    } catch (const RpcError& error) {
      if (++ignored_ <= kMostNotes) ears_.note(fmt::format("ignored '{}': {}", excerpt(line->text), error.what()));
    }
  }
}

void AgentConnection::hear_error(std::string_view text) {
  errors_ += text;
  if (errors_.size() > 2 * kMostErrors) errors_.erase(0, errors_.size() - kMostErrors);
  ears_.hear_errors(text);
}

std::optional<RpcMessage> AgentConnection::next() {
  if (messages_.empty()) return std::nullopt;
  RpcMessage message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

std::string AgentConnection::describe_end() const {
  const int status = child_.status();
  const std::string how =
      status > 128 ? fmt::format("the agent ended by signal {} ({})", status - 128, ::strsignal(status - 128))
                   : fmt::format("the agent ended with exit status {}", status);
  const std::string line = most_useful_line("", repair_utf8(errors_));
  return line.empty() ? how : fmt::format("{}: {}", how, line);
}

void AgentConnection::stop() {
  if (has_ended_) return;
  child_.end_input();
  child_.stop();
  await_end();
}

void AgentConnection::kill() {
  if (has_ended_) return;
  child_.kill();
  await_end();
}

// Its last words go nowhere.
void AgentConnection::await_end() {
  const Deadline limit = Deadline::in(10);
  while (!has_ended_ && !limit.passed()) {
    has_ended_ = child_.wait(limit, -1, [](Child::Stream, std::string_view) {}) == Child::Woke::ended;
  }
}

}  // namespace team
