#include "libteam/mcp/protocol.h"

#include <array>
#include <nlohmann/json.hpp>

#include "libteam/base/json_text.h"

namespace team {

namespace {

struct NamedRevision {
  McpRevision revision;
  std::string_view name;
};
constexpr std::array<NamedRevision, 3> kRevisions{{{McpRevision::r2026_07_28, "2026-07-28"},
                                                   {McpRevision::r2025_11_25, "2025-11-25"},
                                                   {McpRevision::r2025_06_18, "2025-06-18"}}};

const Json* find(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

const Json* find_object(const Json& object, const char* key) {
  const Json* found = find(object, key);
  return found != nullptr && found->is_object() ? found : nullptr;
}

std::optional<std::string> text_in(const Json& object, const char* key) {
  const Json* found = find(object, key);
  return found != nullptr && found->is_string() ? std::optional(found->get<std::string>()) : std::nullopt;
}

// What all revisions have in common.
McpRequest begin_request(const RpcMessage& message) {
  McpRequest request;
  request.id = message.id;
  request.method = message.method;
  request.params = message.body;
  if (!request.params->is_object()) refuse_params("'params' must be an object");
  const Json* meta = find_object(*request.params, "_meta");
  const Json* token = meta != nullptr ? find(*meta, "progressToken") : nullptr;
  if (token != nullptr && (token->is_string() || token->is_number_integer()))
    request.progress_token = dump_line(*token);
  return request;
}

void take_answers(McpRequest& request) {
  if (const Json* answers = find(*request.params, "inputResponses")) {
    if (!answers->is_object()) refuse_params("'inputResponses' must be an object");
    request.answers = std::make_shared<const Json>(*answers);
  }
  if (const Json* state = find(*request.params, "requestState")) {
    if (!state->is_string()) refuse_params("'requestState' must be a string");
    request.state = state->get<std::string>();
  }
}

}  // namespace

std::string_view name_of(McpRevision revision) {
  for (const auto& named : kRevisions) {
    if (named.revision == revision) return named.name;
  }
  return "";
}

std::optional<McpRevision> parse_revision(std::string_view text) {
  for (const auto& named : kRevisions) {
    if (named.name == text) return named.revision;
  }
  return std::nullopt;
}

McpRevision settle_revision(std::string_view wanted) {
  const auto known = parse_revision(wanted);
  return known && !is_stateless(*known) ? *known : McpRevision::r2025_11_25;
}

std::vector<std::string> all_revisions() {
  std::vector<std::string> names;
  for (const auto& named : kRevisions) names.emplace_back(named.name);
  return names;
}

McpClient parse_client(const Json& capabilities) {
  McpClient client;
  const Json* elicitation = find_object(capabilities, "elicitation");
  // An empty object means forms. One with `url` alone does not.
  client.elicits = elicitation != nullptr && (elicitation->contains("form") || !elicitation->contains("url"));
  client.samples = find_object(capabilities, "sampling") != nullptr;
  client.has_roots = find_object(capabilities, "roots") != nullptr;
  return client;
}

const Json* McpRequest::find_answer(const char* key) const { return answers ? find_object(*answers, key) : nullptr; }

std::optional<std::string> McpRequest::find_text(const char* key) const { return text_in(*params, key); }

std::string McpRequest::needed_text(const char* key) const {
  auto text = find_text(key);
  if (!text) refuse_params(fmt::format("'{}' must be a string", key));
  return *text;
}

bool has_own_revision(const RpcMessage& message) {
  const Json* meta = find_object(*message.body, "_meta");
  return meta != nullptr && meta->contains(mcp_meta::kVersion);
}

McpRequest parse_stateless(const RpcMessage& message) {
  McpRequest request = begin_request(message);
  const Json* meta = find_object(*request.params, "_meta");
  const auto version = meta != nullptr ? text_in(*meta, mcp_meta::kVersion) : std::nullopt;
  if (!version) refuse_params(fmt::format("'_meta' needs \"{}\"", mcp_meta::kVersion));
  const auto revision = parse_revision(*version);
  if (!revision || !is_stateless(*revision)) {
    JsonText data;
    data.add_json("supported", json_array_of_texts(all_revisions()));
    data.add("requested", *version);
    throw RpcError(mcp_code::kUnsupportedVersion, "this revision is not supported without initialize", "", data.take());
  }
  const Json* capabilities = find_object(*meta, mcp_meta::kCapabilities);
  if (capabilities == nullptr) refuse_params(fmt::format("'_meta' needs \"{}\"", mcp_meta::kCapabilities));
  request.revision = *revision;
  request.client = parse_client(*capabilities);
  request.log_level = text_in(*meta, mcp_meta::kLogLevel);
  take_answers(request);
  return request;
}

McpRequest parse_initialized(const RpcMessage& message, McpRevision revision, const McpClient& client) {
  McpRequest request = begin_request(message);
  request.revision = revision;
  request.client = client;
  return request;
}

void refuse_params(const std::string& text, const std::string& data) {
  throw RpcError(static_cast<int>(RpcCode::invalid_params), text, "", data);
}

}  // namespace team
