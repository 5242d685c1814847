#include "libteam/agent/model/responses.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "libteam/agent/model/wire_text.h"
#include "libteam/base/json_text.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"
#include "libteam/system/id.h"

namespace team {

namespace {

constexpr std::string_view kFormat = "openai-responses";

std::string to_item(const Part& part, Turn::Role role) {
  JsonText item;
  switch (part.kind) {
    case Part::Kind::text:
      item.add("type", "message");
      item.add("role", role == Turn::Role::user ? "user" : "assistant");
      item.add("content", repair_utf8(part.text));
      break;
    case Part::Kind::reasoning: return part.arguments;
    case Part::Kind::tool_call:
      item.add("type", "function_call");
      item.add("call_id", sanitize_name(part.id));
      item.add("name", sanitize_tool_name(part.name));
      item.add("arguments", dump_line(as_object(part.arguments)));
      break;
    case Part::Kind::tool_result:
      item.add("type", "function_call_output");
      item.add("call_id", sanitize_name(part.id));
      item.add("output", repair_utf8(part.is_error ? "Error: " + part.text : part.text));
      break;
  }
  return item.take();
}

std::string to_tool(const ToolSpec& spec) {
  JsonText tool;
  tool.add("type", "function");
  tool.add("name", spec.name);
  tool.add("description", spec.description);
  tool.add_json("parameters", schema_of(spec));
  tool.add("strict", false);
  return tool.take();
}

class Reader : public AnswerReader {
 public:
  Reader(Provider::Hear hear, std::string asked) : AnswerReader(std::move(hear)), asked_(std::move(asked)) {}

 protected:
  void take(const ServerEvent& event) override {
    if (first_line(event.data) == "[DONE]") return;
    const Json json = parse_event(event);
    const std::string type = text_of(json, "type");
    if (type == "response.output_text.delta" || type == "response.refusal.delta") {
      const std::string delta = text_of(json, "delta");
      refused_ = refused_ || type == "response.refusal.delta";
      grow(delta.size());
      say(delta);
    } else if (type == "response.output_item.done") {
      take_item(json.at("output_index").get<int>(), json.at("item"));
    } else if (type == "response.completed" || type == "response.incomplete") {
      take_end(json.at("response"), type == "response.incomplete");
      complete();
    } else if (type == "response.failed") {
      throw error_of(0, find_service_error(json.at("response")).value_or(ServiceError{}), {});
    } else if (type == "error" || json.contains("error")) {
      throw error_of(0, find_service_error(json).value_or(ServiceError{}), {});
    }
    // Other events repeat what the finished items contain, or are newer than this code.
  }

  bool conclude(ModelAnswer& answer) override {
    if (!is_complete()) return false;
    for (auto& [index, part] : parts_) answer.parts.push_back(std::move(part));
    answer.stop = refused_ ? ModelAnswer::Stop::refused : stop_;
    answer.usage = usage_;
    answer.model = model_;
    return true;
  }

 private:
  void take_item(int index, const Json& item) {
    const std::string type = text_of(item, "type");
    if (type == "message") {
      parts_[index] = text_part(text_in(item));
    } else if (type == "function_call") {
      const std::string id = text_of(item, "call_id");
      Part call = call_part(id.empty() ? "call_" + new_id() : id, text_of(item, "name"));
      call.arguments = text_of(item, "arguments");
      if (call.arguments.empty()) call.arguments = "{}";
      grow(call.arguments.size());
      parts_[index] = std::move(call);
    } else if (type == "reasoning" && !text_of(item, "encrypted_content").empty()) {
      // Without its content it could not be sent back: the service stores nothing.
      Json kept = item;
      kept.erase("status");  // the service gives it and does not take it
      std::string data = dump_line(kept);
      grow(data.size());
      parts_[index] = reasoning_part({kFormat, asked_}, std::move(data));
    }
  }

  static std::string text_in(const Json& item) {
    std::string text;
    const auto content = item.find("content");
    if (content == item.end() || !content->is_array()) return text;
    for (const Json& piece : *content) {
      text += text_of(piece, text_of(piece, "type") == "refusal" ? "refusal" : "text");
    }
    return text;
  }

  void take_end(const Json& response, bool is_incomplete) {
    model_ = text_of(response, "model");
    const auto usage = response.find("usage");
    if (usage != response.end() && usage->is_object()) {
      const auto details = usage->find("input_tokens_details");
      const std::int64_t input = count_of(*usage, "input_tokens");
      const bool has_details = details != usage->end() && details->is_object();
      const std::int64_t cached = has_details ? std::min(input, count_of(*details, "cached_tokens")) : 0;
      usage_ = {.input = input - cached, .output = count_of(*usage, "output_tokens"), .cache_read = cached};
    }
    if (!is_incomplete) return;
    const auto details = response.find("incomplete_details");
    const bool has_reason = details != response.end() && details->is_object();
    const std::string reason = has_reason ? text_of(*details, "reason") : "";
    stop_ = reason == "content_filter" ? ModelAnswer::Stop::refused : ModelAnswer::Stop::too_long;
  }

  std::string asked_;  // the model of the request
  std::map<int, Part> parts_;
  ModelAnswer::Stop stop_ = ModelAnswer::Stop::end;
  std::string model_;
  bool refused_ = false;
  Usage usage_;
};

}  // namespace

std::string Responses::body(const ModelRequest& request) const {
  JsonText body;
  body.add("model", model_);
  body.add("stream", true);
  body.add("store", false);
  if (wants_reasoning_) body.add_json("include", R"(["reasoning.encrypted_content"])");
  if (request.max_tokens > 0) body.add("max_output_tokens", request.max_tokens);
  if (!tuning_.effort.empty()) {
    JsonText reasoning;
    reasoning.add("effort", tuning_.effort);
    body.add_json("reasoning", reasoning.take());
  }
  if (!request.system.empty()) body.add("instructions", repair_utf8(request.system));
  std::vector<std::string> tools;
  for (const ToolSpec& spec : request.tools) tools.push_back(to_tool(spec));
  if (!tools.empty()) body.add_json("tools", json_array(tools));
  if (!tools.empty() && !request.may_call) body.add("tool_choice", "none");
  std::vector<std::string> items;
  for (const Turn& turn : turns_with_present(request, {wants_reasoning_ ? kFormat : "none", model_})) {
    for (const Part& part : turn.parts) items.push_back(to_item(part, turn.role));
  }
  body.add_json("input", json_array(items));
  return body.take();
}

std::unique_ptr<AnswerReader> Responses::read(Provider::Hear hear) const {
  return std::make_unique<Reader>(std::move(hear), model_);
}

bool Responses::adapt(int status, const ServiceError& refusal) {
  const bool is_about_reasoning = refusal.message.find("ncrypted content") != std::string::npos ||
                                  refusal.message.find("encrypted_content") != std::string::npos;
  if (status != 400 || !is_about_reasoning || !wants_reasoning_) return false;
  wants_reasoning_ = false;
  return true;
}

}  // namespace team
