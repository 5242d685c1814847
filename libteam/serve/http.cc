#include "libteam/serve/http.h"

#include <algorithm>

#include "libteam/base/json_text.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/utf8.h"

namespace team {

namespace {

std::optional<std::string> find_value(const NameValues& pairs, std::string_view name) {
  const auto found = std::ranges::find(pairs, name, [](const auto& pair) { return std::string_view(pair.first); });
  return found == pairs.end() ? std::nullopt : std::optional(found->second);
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Undoes percent escapes; in a query a plus is a blank. A zero byte could end a text early in other code.
std::string decode(std::string_view text, bool is_query) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(is_query && text[i] == '+' ? ' ' : text[i]);
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) fail(Code::usage, "the address has a wrong escape");
    decoded.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  if (decoded.find('\0') != std::string::npos) fail(Code::usage, "the address has a zero byte");
  return repair_utf8(decoded);
}

}  // namespace

std::optional<std::string> WebRequest::find_query(std::string_view key) const { return find_value(query, key); }

std::optional<std::string> WebRequest::find_header(std::string_view name) const { return find_value(headers, name); }

void parse_target(std::string_view target, WebRequest& request) {
  const auto is_unfit = [](unsigned char c) { return c <= ' ' || c == 127 || c == '#'; };
  if (!target.starts_with('/') || std::ranges::any_of(target, is_unfit)) {
    fail(Code::usage, "'{}' is not an address of this server", one_line(cut_characters(repair_utf8(target), 80)));
  }
  const std::size_t question = std::min(target.find('?'), target.size());
  const std::string_view path = target.substr(0, question);
  request.path = decode(path, false);
  if (std::ranges::count(request.path, '/') != std::ranges::count(path, '/')) {
    fail(Code::usage, "the path has an escaped slash");
  }
  std::string_view rest = target.substr(std::min(question + 1, target.size()));
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    request.query.emplace_back(decode(pair.substr(0, equals), true),
                               decode(pair.substr(std::min(equals + 1, pair.size())), true));
  }
}

WebResponse json_response(std::string json, int status) {
  WebResponse response;
  response.status = status;
  response.body = std::move(json);
  response.body.push_back('\n');
  return response;
}

WebResponse error_response(int status, Code code, std::string_view text) {
  JsonText json;
  json.add("status", "error");
  json.add("code", name_of(code));
  json.add("error", one_line(text));
  WebResponse response = json_response(json.take(), status);
  if (status == 429 || status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

WebResponse error_response(const Error& error) {
  return error_response(status_of(error.code()), error.code(), error.what());
}

int status_of(Code code) {
  switch (code) {
    case Code::usage: return 400;
    case Code::permission_denied: return 403;
    case Code::not_found: return 404;
    case Code::no:
    case Code::conflict:
    case Code::blocked:
    case Code::busy:
    case Code::invalid_state:
    case Code::paused: return 409;
    case Code::again: return 503;
    case Code::unavailable: return 502;
    case Code::io:
    case Code::corrupt:
    case Code::unknown: break;
  }
  return 500;
}

std::string sse_frame(std::int64_t seq, std::string_view data) {
  std::string frame = seq > 0 ? fmt::format("id: {}\n", seq) : "";
  return frame.append("data: ").append(data).append("\n\n");
}

}  // namespace team
