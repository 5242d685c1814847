#include "libteam/base/json_rpc.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libteam/base/json_text.h"
#include "libteam/base/text.h"

namespace team {

namespace {

bool is_id(const Json& value) { return value.is_string() || value.is_number_integer(); }

std::string id_of(const Json& object) {
  const auto id = object.find("id");
  return id != object.end() && is_id(*id) ? dump_line(*id) : "";
}

// Takes a member out of the object without a copy.
std::shared_ptr<const Json> take(Json& object, const char* key) {
  const auto found = object.find(key);
  return std::make_shared<const Json>(found == object.end() ? Json::object() : std::move(*found));
}

std::string begin_message() { return R"({"jsonrpc":"2.0")"; }

void add_member(std::string& to, std::string_view key, std::string_view json) {
  to += fmt::format(",\"{}\":", key);
  to += json;
}

std::string finish(std::string text) { return std::move(text) + "}"; }

}  // namespace

int RpcMessage::error_code() const {
  const auto code = body->find("code");
  return code != body->end() && code->is_number_integer() ? code->get<int>()
                                                          : static_cast<int>(RpcCode::internal_error);
}

std::string RpcMessage::error_text() const {
  const auto text = body->find("message");
  return text != body->end() && text->is_string() ? text->get<std::string>() : "an error without a message";
}

RpcMessage parse_rpc(std::string_view line, const JsonLimits& limits) {
  Json object;
  try {
    object = parse_json(line, "message", limits);
  } catch (const Error& error) {
    throw RpcError(RpcCode::parse_error, error.what(), "");
  }
  const auto refuse = [&](const char* text) {
    throw RpcError(RpcCode::invalid_request, text, object.is_object() ? id_of(object) : "");
  };
  if (!object.is_object()) refuse("a message must be one JSON object");
  const auto version = object.find("jsonrpc");
  if (version == object.end() || *version != "2.0") refuse("the key 'jsonrpc' must be \"2.0\"");

  RpcMessage message;
  const bool has_id = object.contains("id");
  message.id = id_of(object);
  const auto method = object.find("method");
  if (method != object.end()) {
    if (!method->is_string()) refuse("'method' must be a string");
    if (has_id && message.id.empty()) refuse("'id' must be a string or an integer");
    message.kind = has_id ? RpcMessage::Kind::request : RpcMessage::Kind::notification;
    message.method = method->get<std::string>();
    message.body = take(object, "params");
    if (message.body->is_null()) message.body = std::make_shared<const Json>(Json::object());
    if (!message.body->is_structured()) refuse("'params' must be an object");
    return message;
  }
  const bool is_error = object.contains("error");
  if (is_error == object.contains("result")) refuse("a message needs one of 'method', 'result' and 'error'");
  if (message.id.empty() && !is_error) refuse("a result needs the id of its request");
  message.kind = is_error ? RpcMessage::Kind::error : RpcMessage::Kind::result;
  message.body = take(object, is_error ? "error" : "result");
  if (is_error && !message.body->is_object()) refuse("'error' must be an object");
  return message;
}

std::string rpc_request(std::string_view id, std::string_view method, std::string_view params) {
  std::string text = begin_message();
  add_member(text, "id", id);
  text += ",\"method\":";
  append_quoted(text, method);
  if (!params.empty()) add_member(text, "params", params);
  return finish(std::move(text));
}

std::string rpc_notification(std::string_view method, std::string_view params) {
  std::string text = begin_message();
  text += ",\"method\":";
  append_quoted(text, method);
  if (!params.empty()) add_member(text, "params", params);
  return finish(std::move(text));
}

std::string rpc_result(std::string_view id, std::string_view result) {
  std::string text = begin_message();
  add_member(text, "id", id);
  add_member(text, "result", result);
  return finish(std::move(text));
}

std::string rpc_error(std::string_view id, int code, std::string_view text, std::string_view data) {
  JsonText error;
  error.add("code", code);
  error.add("message", text);
  if (!data.empty()) error.add_json("data", data);
  std::string message = begin_message();
  add_member(message, "id", id.empty() ? "null" : id);
  add_member(message, "error", error.take());
  return finish(std::move(message));
}

std::optional<LineSplitter::Line> LineSplitter::next() {
  constexpr std::size_t kShown = 200;
  while (true) {
    const std::size_t end = text_.find('\n', std::max(start_, scanned_));
    if (end == std::string::npos) {
      scanned_ = text_.size();
      if (text_.size() - start_ > most_ && !drops_) {
        drops_ = true;
        Line line{text_.substr(start_, kShown), true, erased_ + start_};
        start_ = text_.size();
        return line;
      }
      if (drops_) start_ = text_.size();
      text_.erase(0, start_);
      erased_ += start_;
      scanned_ -= start_;
      start_ = 0;
      return std::nullopt;
    }
    std::string_view line(text_.data() + start_, end - start_);
    const std::uint64_t offset = erased_ + start_;
    start_ = end + 1;
    if (drops_) {
      drops_ = false;
      continue;
    }
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.size() > most_) return Line{std::string(line.substr(0, kShown)), true, offset};
    if (!is_blank(line)) return Line{std::string(line), false, offset};
  }
}

}  // namespace team
