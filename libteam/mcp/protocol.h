// The Model Context Protocol as values: its revisions, its error codes, and what a request carries.
//
// Up to 2025-11-25 a conversation begins with `initialize`, which settles the revision and the capabilities of the
// client. Since 2026-07-28 there is no beginning: every request carries both in `_meta`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/base/json.h"
#include "libteam/base/json_rpc.h"

namespace team {

enum class McpRevision { r2025_06_18, r2025_11_25, r2026_07_28 };

std::string_view name_of(McpRevision revision);
std::optional<McpRevision> parse_revision(std::string_view text);
inline bool is_stateless(McpRevision revision) { return revision == McpRevision::r2026_07_28; }
// The revision for a client that initializes with this one: the same, else the newest with `initialize`.
McpRevision settle_revision(std::string_view wanted);
// The names of all revisions, the newest first.
std::vector<std::string> all_revisions();

// Error codes besides those of JSON-RPC.
namespace mcp_code {
inline constexpr int kResourceNotFound = -32002;  // up to 2025-11-25
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kMissingCapability = -32021;
inline constexpr int kUnsupportedVersion = -32022;
}  // namespace mcp_code

// Keys of `_meta`.
namespace mcp_meta {
inline constexpr const char* kVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr const char* kCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr const char* kServer = "io.modelcontextprotocol/serverInfo";
inline constexpr const char* kLogLevel = "io.modelcontextprotocol/logLevel";
inline constexpr const char* kSubscription = "io.modelcontextprotocol/subscriptionId";
}  // namespace mcp_meta

// What the client can be asked.
struct McpClient {
  bool elicits = false;  // asks its user, with a form
  bool samples = false;
  bool has_roots = false;
};
McpClient parse_client(const Json& capabilities);

struct McpRequest {
  std::string id;  // JSON text
  std::string method;
  std::shared_ptr<const Json> params;  // an object, never null
  McpRevision revision = McpRevision::r2025_11_25;
  McpClient client;
  std::string progress_token;            // JSON text; empty: the client wants no progress
  std::optional<std::string> log_level;  // the client wants log messages from this level on
  // Answers of the client to what an earlier result asked, by key, and the state of that result.
  std::shared_ptr<const Json> answers;  // null: none
  std::optional<std::string> state;

  // The answer to one question; null if there is none, or if it is no object.
  const Json* find_answer(const char* key) const;
  // A text of the params. Throws RpcError invalid_params if it is missing.
  std::string needed_text(const char* key) const;
  std::optional<std::string> find_text(const char* key) const;
};

// True if the request says in `_meta` which revision it follows.
bool has_own_revision(const RpcMessage& message);
// A request that carries everything. Throws RpcError: invalid_params for incomplete `_meta`, kUnsupportedVersion.
McpRequest parse_stateless(const RpcMessage& message);
// A request in a conversation that was initialized. Throws RpcError.
McpRequest parse_initialized(const RpcMessage& message, McpRevision revision, const McpClient& client);

// A refusal of invalid parameters.
[[noreturn]] void refuse_params(const std::string& text, const std::string& data = "");

}  // namespace team
