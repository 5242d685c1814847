#include "libteam/serve/access.h"

#include <algorithm>
#include <cmath>

#include "libteam/base/number.h"
#include "libteam/base/terminal_text.h"
#include "libteam/system/file.h"
#include "libteam/system/random.h"

namespace team {

namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string_view bearer_token(const std::optional<std::string>& header) {
  constexpr std::string_view kScheme = "bearer ";
  if (!header || header->size() < kScheme.size() || lower_case(header->substr(0, kScheme.size())) != kScheme) return {};
  return std::string_view(*header).substr(kScheme.size());
}

}  // namespace

bool RateLimit::count(double now) {
  const auto second = static_cast<std::int64_t>(std::floor(now));
  if (second != second_) counted_ = 0;
  second_ = second;
  return ++counted_ <= most_;
}

std::string host_in_header(std::string_view header) {
  const bool is_address = header.starts_with('[');
  const std::size_t end = is_address ? header.find(']') + 1 : std::min(header.find(':'), header.size());
  if (end == 0 || (is_address && header.find(']') == header.npos)) return "";
  const std::string_view port = header.substr(end);
  const bool has_port = port.empty() || (port.front() == ':' && parse_integer(port.substr(1)).value_or(65536) < 65536);
  const auto fits = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_' ||
           (is_address && (c == ':' || c == '[' || c == ']'));
  };
  std::string host = lower_case(header.substr(0, end));
  return has_port && std::ranges::all_of(host, fits) ? host : "";
}

std::string make_token() {
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:016x}", random_number());
  return token;
}

bool is_same_secret(std::string_view secret, std::string_view given) {
  unsigned difference = secret.size() == given.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(secret[i % secret.size()]);
  }
  return difference == 0;
}

Access::Access(AccessRules rules)
    : rules_(std::move(rules)), changes_(rules_.most_changes), wrong_tokens_(rules_.most_wrong_tokens) {
  for (std::string& host : rules_.hosts) host = lower_case(host);
}

bool Access::is_allowed_host(const WebRequest& request) const {
  if (rules_.any_host) return true;
  const auto hosts = std::ranges::count(request.headers, "host", &NameValues::value_type::first);
  const std::string host = hosts == 1 ? host_in_header(*request.find_header("host")) : "";
  return !host.empty() && std::ranges::find(rules_.hosts, host) != rules_.hosts.end();
}

bool Access::is_listed(const std::optional<std::string>& origin) const {
  return origin && std::ranges::find(rules_.origins, *origin) != rules_.origins.end();
}

// The page itself may be opened by a link from anywhere: it holds no data.
bool Access::is_foreign(const WebRequest& request, bool is_open) const {
  const auto origin = request.find_header("origin");
  if (is_listed(origin)) return false;
  if (origin && *origin != "http://" + request.find_header("host").value_or("")) return true;
  const auto site = request.find_header("sec-fetch-site");
  return site && !is_open && *site != "same-origin" && *site != "none";
}

std::optional<WebResponse> Access::refuse(const WebRequest& request, const Route* route, double now) {
  const auto refusal = [](int status, std::string_view text) {
    return error_response(status, status == 429 ? Code::again : Code::permission_denied, text);
  };
  const bool is_open = route != nullptr && route->access == Route::Access::open;
  if (!is_allowed_host(request)) {
    return refusal(403, "the host '" + one_line(request.find_header("host").value_or("")) +
                            "' is not a name of this server (--allow-host)");
  }
  if (is_foreign(request, is_open)) return refusal(403, "a page of another site may not ask this server (--origin)");
  if (is_open) return std::nullopt;
  if (!is_same_secret(rules_.token, bearer_token(request.find_header("authorization")))) {
    if (!wrong_tokens_.count(now)) return refusal(429, "too many requests with a wrong token");
    auto response = refusal(401, "a request needs the token of the server: Authorization: Bearer TOKEN");
    response.headers.emplace_back("WWW-Authenticate", "Bearer");
    return response;
  }
  if (route == nullptr || route->kind != Route::Kind::change) return std::nullopt;
  if (rules_.read_only) return refusal(403, "this server only reads (--read-only)");
  if (!changes_.count(now)) return refusal(429, "more than 50 changes in a second");
  return std::nullopt;
}

NameValues Access::origin_headers(const WebRequest& request) const {
  const auto origin = request.find_header("origin");
  if (!is_listed(origin)) return {};
  return {{"Access-Control-Allow-Origin", *origin},
          {"Access-Control-Expose-Headers", "Mcp-Session-Id"},
          {"Vary", "Origin"}};
}

std::optional<WebResponse> Access::answer_preflight(const WebRequest& request) const {
  if (request.method != "OPTIONS") return std::nullopt;
  if (!is_allowed_host(request) || !is_listed(request.find_header("origin"))) {
    return error_response(403, Code::permission_denied, "a page of another site may not ask this server (--origin)");
  }
  WebResponse response;
  response.status = 204;
  response.headers = {{"Access-Control-Allow-Methods", "GET, POST, PATCH, DELETE"},
                      {"Access-Control-Allow-Headers",
                       "Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, "
                       "Mcp-Session-Id"},
                      {"Access-Control-Max-Age", "600"}};
  return response;
}

}  // namespace team
