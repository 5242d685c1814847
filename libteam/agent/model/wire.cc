#include "libteam/agent/model/wire.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "libteam/agent/model/wire_text.h"
#include "libteam/base/error.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"

namespace team {

namespace {

constexpr std::size_t kMostOfArguments = std::size_t{32} << 20;
constexpr std::size_t kLongestToolName = 64;

std::optional<Json> parse_object(const std::string& arguments) {
  try {
    Json json = parse_json(arguments, "arguments", {.bytes = kMostOfArguments});
    if (json.is_object()) return json;
  } catch (const Error&) {
    // Not JSON, so no object either.
  }
  return std::nullopt;
}

}  // namespace

Part text_part(std::string text) {
  Part part;
  part.text = std::move(text);
  return part;
}

Part call_part(std::string id, std::string name) {
  Part part;
  part.kind = Part::Kind::tool_call;
  part.id = std::move(id);
  part.name = std::move(name);
  return part;
}

Part reasoning_part(const ReasoningSource& source, std::string data) {
  Part part;
  part.kind = Part::Kind::reasoning;
  part.name = source.format;
  part.id = source.model;
  part.arguments = std::move(data);
  return part;
}

std::vector<Turn> normalize_turns(const std::vector<Turn>& turns, const ReasoningSource& source) {
  const auto is_sent = [&](const Part& part) {
    if (part.kind == Part::Kind::reasoning) return part.name == source.format && part.id == source.model;
    return part.kind != Part::Kind::text || !is_blank(part.text);
  };
  const auto is_reasoning = [](const Part& part) { return part.kind == Part::Kind::reasoning; };
  std::vector<Turn> tidied;
  for (const Turn& turn : turns) {
    Turn next{turn.role, {}};
    std::copy_if(turn.parts.begin(), turn.parts.end(), std::back_inserter(next.parts), is_sent);
    // Services refuse reasoning at the end of a turn: it must lead to something.
    while (!next.parts.empty() && is_reasoning(next.parts.back())) next.parts.pop_back();
    if (next.parts.empty() && turn.role == Turn::Role::model) continue;
    if (next.parts.empty()) next.parts.push_back(text_part("(empty)"));
    if (tidied.empty() || tidied.back().role != turn.role) tidied.push_back({turn.role, {}});
    auto& parts = tidied.back().parts;
    parts.insert(parts.end(), std::make_move_iterator(next.parts.begin()), std::make_move_iterator(next.parts.end()));
  }
  for (Turn& turn : tidied) {
    std::stable_partition(turn.parts.begin(), turn.parts.end(),
                          [](const Part& part) { return part.kind == Part::Kind::tool_result; });
    for (Part& part : turn.parts) {
      if (part.kind == Part::Kind::tool_result && is_blank(part.text)) part.text = "(empty)";
    }
  }
  return tidied;
}

std::vector<Turn> turns_with_present(const ModelRequest& request, const ReasoningSource& source) {
  std::vector<Turn> turns = normalize_turns(request.turns, source);
  if (request.present.empty()) return turns;
  if (turns.empty() || turns.back().role != Turn::Role::user) turns.push_back({Turn::Role::user, {}});
  turns.back().parts.push_back(text_part(request.present));
  return turns;
}

bool is_object(const std::string& arguments) { return parse_object(arguments).has_value(); }

Json as_object(const std::string& arguments) {
  if (is_blank(arguments)) return Json::object();
  std::optional<Json> object = parse_object(arguments);
  // The model gets malformed arguments back as it wrote them.
  return object ? std::move(*object) : Json{{"INVALID_JSON", repair_utf8(arguments)}};
}

std::string schema_of(const ToolSpec& spec) { return dump_line(parse_json(spec.schema, "schema of " + spec.name)); }

Headers bearer_header(const std::string& key) {
  if (key.empty()) return {};
  return {{"authorization", "Bearer " + key}};
}

std::string sanitize_name(std::string_view name) {
  std::string sanitized(name);
  for (char& c : sanitized) {
    const bool fits =
        (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '-';
    if (!fits) c = '_';
  }
  return sanitized.empty() ? "unknown" : sanitized;
}

std::string sanitize_tool_name(std::string_view name) { return sanitize_name(name).substr(0, kLongestToolName); }

}  // namespace team
