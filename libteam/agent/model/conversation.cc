#include "libteam/agent/model/conversation.h"

#include <nlohmann/json.hpp>

#include "libteam/record/json_fields.h"

namespace team {

namespace {

// An answer has at most 32 MiB; JSON escapes can make each byte six.
constexpr JsonLimits kLimits = {.bytes = std::size_t{256} << 20};

Json to_json(const Part& part) {
  switch (part.kind) {
    case Part::Kind::text: return {{"type", "text"}, {"text", part.text}};
    case Part::Kind::tool_call:
      return {{"type", "tool_call"}, {"id", part.id}, {"name", part.name}, {"arguments", part.arguments}};
    case Part::Kind::reasoning:
      return {{"type", "reasoning"}, {"format", part.name}, {"model", part.id}, {"data", part.arguments}};
    case Part::Kind::tool_result: break;
  }
  Json json = {{"type", "tool_result"}, {"id", part.id}, {"name", part.name}, {"text", part.text}};
  if (part.is_error) json["is_error"] = true;
  return json;
}

Part take_part(Json& json, std::string_view line, std::string_view where) {
  Fields fields(json, line, where);
  const auto needed = [&](const char* key) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_string()) fields.refuse(key, "a string");
    return take_text(*found);
  };
  const std::string type = needed("type");
  Part part;
  if (type == "text") {
    part.text = needed("text");
    return part;
  }
  if (type == "reasoning") {
    part.kind = Part::Kind::reasoning;
    part.name = needed("format");
    part.id = needed("model");
    part.arguments = needed("data");
    return part;
  }
  if (type == "tool_call") {
    part.kind = Part::Kind::tool_call;
    part.arguments = needed("arguments");
  } else if (type == "tool_result") {
    part.kind = Part::Kind::tool_result;
    part.text = needed("text");
    part.is_error = fields.boolean("is_error").value_or(false);
  } else {
    fields.refuse("type", "text, tool_call, tool_result or reasoning");
  }
  part.id = needed("id");
  part.name = needed("name");
  return part;
}

// `line` is for error messages.
Turn take(Json& json, std::string_view line, std::string_view where) {
  Fields fields(json, line, where);
  const std::string role = fields.text("role").value_or("");
  if (role != "user" && role != "model") fields.refuse("role", "user or model");
  Turn turn{role == "user" ? Turn::Role::user : Turn::Role::model, {}};
  if (fields.array("parts") == nullptr) fields.refuse("parts", "an array");
  for (Json& part : json["parts"]) turn.parts.push_back(take_part(part, line, where));
  return turn;
}

}  // namespace

std::string to_line(const Turn& turn) {
  Json parts = Json::array();
  for (const Part& part : turn.parts) parts.push_back(to_json(part));
  return dump_line({{"role", turn.role == Turn::Role::user ? "user" : "model"}, {"parts", std::move(parts)}});
}

Turn parse_turn(std::string_view line, std::string_view where) {
  Json json = parse_json(line, where, kLimits);
  return take(json, line, where);
}

std::string take_text(Json& string) {
  constexpr std::size_t kLarge = std::size_t{1} << 20;
  std::string text = std::move(string.get_ref<std::string&>());
  if (text.size() < kLarge) text.shrink_to_fit();
  return text;
}

Turn take_turn(Json&& json, std::string_view where) { return take(json, "", where); }

}  // namespace team
