// The steps of a request around its handler, without a socket: routing, refusals, common headers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "libteam/serve/access.h"
#include "libteam/serve/http.h"
#include "libteam/serve/router.h"
#include "libteam/serve/service.h"

namespace team {

struct Decision {
  const Route* route = nullptr;
  std::optional<WebResponse> refusal;  // none: the handler of the route answers
};

// Decides about a request before its body is read. `request` has method and headers; its path, query and parameters are
// set from the target.
Decision decide(std::string_view target, bool has_body, WebRequest& request, const Router& router, Access& access,
                double now);

// Calls the handler of a route. Its exceptions become responses.
WebResponse answer(const Route& route, const Service& service, const WebRequest& request);

// All headers of a response but its length and connection.
NameValues headers_of(const WebResponse& response, const WebRequest& request, const Route* route, const Access& access);

// The response of a stream to a HEAD request.
WebResponse without_events(const EventStream& stream);

// The head of a response that another thread writes.
std::string pushed_head(const WebResponse& response, const WebRequest& request, const Route* route,
                        const Access& access);

// The head of the response of a stream.
std::string stream_head(const EventStream& stream, const WebRequest& request, const Access& access);

}  // namespace team
