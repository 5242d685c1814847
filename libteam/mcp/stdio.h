// Serves one MCP client on two descriptors: a message a line.
//
// One thread does everything: it sleeps until a line comes, something changes in the store, or a wait has an end. While
// no request is running it only reads.
#pragma once

#include <memory>

#include "libteam/mcp/features.h"

namespace team {

// Returns when the input ends, when the output has no reader, or after SIGINT, SIGTERM or SIGHUP. What a client got and
// did not confirm is then taken back. Throws io.
void serve_stdio(const std::shared_ptr<McpFeatures>& features, int in, int out);

}  // namespace team
