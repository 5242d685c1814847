#include "libteam/serve/front.h"

#include <new>

#include "libteam/base/text.h"

namespace team {

namespace {

bool is_json(const WebRequest& request) {
  const std::string type = request.find_header("content-type").value_or("");
  return type == "application/json" || type.starts_with("application/json;");
}

std::optional<WebResponse> refuse(const WebRequest& request, const Router::Found& found, bool has_body, Access& access,
                                  double now) {
  if (auto answered = access.answer_preflight(request)) return answered;
  if (auto refused = access.refuse(request, found.route, now)) return refused;
  if (found.route == nullptr && !found.allowed.empty()) {
    auto refused = error_response(405, Code::usage, request.method + " is not a method of " + request.path);
    refused.headers.emplace_back("Allow", join(found.allowed, ", "));
    return refused;
  }
  if (found.route == nullptr) {
    return error_response(404, Code::not_found, "no endpoint '" + request.path + "'; see teamkit-http(7)");
  }
  if (has_body && !is_json(request)) {
    return error_response(415, Code::usage, "the body needs Content-Type: application/json");
  }
  return std::nullopt;
}

std::string type_of(const EventStream& stream) {
  if (!stream.type.empty()) return stream.type;
  return stream.form == EventStream::Form::sse ? "text/event-stream" : "application/x-ndjson";
}

}  // namespace

Decision decide(std::string_view target, bool has_body, WebRequest& request, const Router& router, Access& access,
                double now) {
  try {
    parse_target(target, request);
    auto found = router.find(request.method, request.path);
    auto refusal = refuse(request, found, has_body, access, now);
    request.parameters = std::move(found.parameters);
    return {found.route, std::move(refusal)};
  } catch (const Error& error) {
    return {nullptr, error_response(error)};
  }
}

WebResponse answer(const Route& route, const Service& service, const WebRequest& request) {
  try {
    return route.handler(service, request);
  } catch (const Error& error) {
    return error_response(error);
  } catch (const std::bad_alloc&) {
    return error_response(500, Code::io, "out of memory");
  } catch (const std::exception& error) {
    return error_response(500, Code::unknown, std::string("this should not happen: ") + error.what());
  }
}

NameValues headers_of(const WebResponse& response, const WebRequest& request, const Route* route,
                      const Access& access) {
  const bool is_page = route != nullptr && route->access == Route::Access::open;
  NameValues headers = access.origin_headers(request);
  headers.emplace_back("Cache-Control", is_page ? "no-cache" : "no-store");
  headers.emplace_back("X-Content-Type-Options", "nosniff");
  headers.emplace_back("Referrer-Policy", "no-referrer");
  headers.emplace_back("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  if (response.status != 204) headers.emplace_back("Content-Type", response.type);
  headers.insert(headers.end(), response.headers.begin(), response.headers.end());
  return headers;
}

WebResponse without_events(const EventStream& stream) {
  WebResponse response;
  response.type = type_of(stream);
  return response;
}

std::string pushed_head(const WebResponse& response, const WebRequest& request, const Route* route,
                        const Access& access) {
  std::string head = "HTTP/1.1 200 OK\r\nConnection: close\r\nX-Accel-Buffering: no\r\nTransfer-Encoding: chunked\r\n";
  for (const auto& [name, value] : headers_of(response, request, route, access)) {
    head += fmt::format("{}: {}\r\n", name, value);
  }
  return head + "\r\n";
}

std::string stream_head(const EventStream& stream, const WebRequest& request, const Access& access) {
  std::string head = fmt::format(
      "HTTP/1.1 200 OK\r\nContent-Type: {}\r\nCache-Control: no-cache\r\nConnection: keep-alive\r\n"
      "X-Accel-Buffering: no\r\nX-Content-Type-Options: nosniff\r\nTransfer-Encoding: chunked\r\n",
      type_of(stream));
  for (const auto& [name, value] : access.origin_headers(request)) head += fmt::format("{}: {}\r\n", name, value);
  return head + "\r\n";
}

}  // namespace team
