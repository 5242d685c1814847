#include "libteam/serve/mcp_headers.h"

#include <nlohmann/json.hpp>

#include "libteam/mcp/protocol.h"

namespace team {

namespace {

[[noreturn]] void refuse(const RpcMessage& message, const std::string& text) {
  throw RpcError(mcp_code::kHeaderMismatch, text, message.id);
}

std::optional<std::string> text_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? std::optional(found->get<std::string>()) : std::nullopt;
}

// The key of the params that the header Mcp-Name repeats; null for other methods.
const char* name_key(const std::string& method) {
  if (method == "tools/call" || method == "prompts/get") return "name";
  return method == "resources/read" ? "uri" : nullptr;
}

void check_version(const WebRequest& request, const RpcMessage& message) {
  const auto header = request.find_header("mcp-protocol-version");
  if (!header) refuse(message, "the header MCP-Protocol-Version is missing");
  const auto meta = message.body->find("_meta");
  if (meta == message.body->end() || !meta->is_object()) return;
  const auto version = text_in(*meta, mcp_meta::kVersion);
  if (version && *version != *header) refuse(message, "MCP-Protocol-Version differs from the version in '_meta'");
}

int value_of(char c) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t at = kDigits.find(c);
  return at == kDigits.npos ? -1 : static_cast<int>(at);
}

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && text.ends_with('=')) {
    text.remove_suffix(1);
    ++padding;
  }
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    const int value = value_of(c);
    if (value < 0) return std::nullopt;
    bits = (bits << 6U) | static_cast<unsigned>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>((bits >> static_cast<unsigned>(count)) & 0xFFU);
  }
  return bytes;
}

}  // namespace

std::optional<std::string> decode_header(std::string_view value) {
  constexpr std::string_view kBegin = "=?base64?";
  constexpr std::string_view kEnd = "?=";
  if (!value.starts_with(kBegin) || !value.ends_with(kEnd) || value.size() < kBegin.size() + kEnd.size()) {
    return std::string(value);
  }
  value.remove_prefix(kBegin.size());
  value.remove_suffix(kEnd.size());
  return decode_base64(value);
}

bool is_stateless_request(const WebRequest& request, const RpcMessage& message) {
  if (message.body->is_object() && has_own_revision(message)) return true;
  const auto version = request.find_header("mcp-protocol-version");
  const auto known = version ? parse_revision(*version) : std::nullopt;
  return known && is_stateless(*known);
}

void check_mcp_headers(const WebRequest& request, const RpcMessage& message) {
  if (!message.body->is_object()) return;  // refused later
  check_version(request, message);
  const auto method = request.find_header("mcp-method");
  if (method != message.method) refuse(message, "the header Mcp-Method must be the method of the body");
  const char* key = name_key(message.method);
  const auto name = key != nullptr ? text_in(*message.body, key) : std::nullopt;
  if (!name) return;
  const auto header = request.find_header("mcp-name");
  if (!header || decode_header(*header) != name) {
    refuse(message, fmt::format("the header Mcp-Name must be '{}' of the body", key));
  }
}

bool accepts_stream(const WebRequest& request) {
  const std::string accepted = request.find_header("accept").value_or("*/*");
  return accepted.find("text/event-stream") != accepted.npos || accepted.find("*/*") != accepted.npos;
}

}  // namespace team
