// The headers of MCP over HTTP: which revision a request follows, and whether its headers agree with its body.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "libteam/base/json_rpc.h"
#include "libteam/serve/http.h"

namespace team {

// True if the request follows a revision without sessions.
bool is_stateless_request(const WebRequest& request, const RpcMessage& message);
// Throws RpcError kHeaderMismatch if a header of such a request is missing, or differs from the body: the revision, the
// method, the name of the tool, prompt or resource.
void check_mcp_headers(const WebRequest& request, const RpcMessage& message);
// True if the client accepts a stream of events.
bool accepts_stream(const WebRequest& request);

// The value of a header that may be written as =?base64?…?=; none if that is malformed.
std::optional<std::string> decode_header(std::string_view value);

}  // namespace team
