#include "libteam/agent/model/openai.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "libteam/agent/model/wire_text.h"
#include "libteam/base/json_text.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"
#include "libteam/system/id.h"

namespace team {

namespace {

constexpr std::string_view kFormat = "openai-chat";

std::string to_call(const Part& part) {
  JsonText function;
  function.add("name", sanitize_tool_name(part.name));
  function.add("arguments", dump_line(as_object(part.arguments)));
  JsonText call;
  call.add("id", sanitize_name(part.id));
  call.add("type", "function");
  call.add_json("function", function.take());
  return call.take();
}

std::string to_message(std::string_view role, std::string_view content) {
  JsonText message;
  message.add("role", role);
  message.add("content", content);
  return message.take();
}

std::string to_result(const Part& part) {
  JsonText message;
  message.add("role", "tool");
  message.add("tool_call_id", sanitize_name(part.id));
  message.add("content", repair_utf8(part.is_error ? "Error: " + part.text : part.text));
  return message.take();
}

// One turn becomes several messages: one for each result, and then the text of the user.
void add_messages(const Turn& turn, std::vector<std::string>& messages) {
  std::string text;
  std::vector<std::string> calls, reasoning;
  for (const Part& part : turn.parts) {
    if (part.kind == Part::Kind::reasoning) {
      reasoning.push_back(part.arguments);
    } else if (part.kind == Part::Kind::tool_result) {
      messages.push_back(to_result(part));
    } else if (part.kind == Part::Kind::tool_call) {
      calls.push_back(to_call(part));
    } else {
      if (!text.empty()) text += "\n\n";
      text += repair_utf8(part.text);
    }
  }
  if (turn.role == Turn::Role::user) {
    if (!text.empty()) messages.push_back(to_message("user", text));
    return;
  }
  JsonText message;
  message.add("role", "assistant");
  message.add("content", text.empty() ? std::nullopt : std::optional(text));
  if (!calls.empty()) message.add_json("tool_calls", json_array(calls));
  // Two answers that became one turn have no common reasoning: the last one counts.
  if (!reasoning.empty()) message.add_all_of(reasoning.back());
  messages.push_back(message.take());
}

std::string to_tool(const ToolSpec& spec) {
  JsonText function;
  function.add("name", spec.name);
  function.add("description", spec.description);
  function.add_json("parameters", schema_of(spec));
  JsonText tool;
  tool.add("type", "function");
  tool.add_json("function", function.take());
  return tool.take();
}

ModelAnswer::Stop to_stop(const std::string& reason) {
  using Stop = ModelAnswer::Stop;
  if (reason == "tool_calls" || reason == "function_call") return Stop::tool_calls;
  if (reason == "length" || reason == "model_length") return Stop::too_long;
  if (reason == "content_filter") return Stop::refused;
  return Stop::end;
}

class Reader : public AnswerReader {
 public:
  Reader(Provider::Hear hear, std::string asked) : AnswerReader(std::move(hear)), asked_(std::move(asked)) {}

 protected:
  void take(const ServerEvent& event) override {
    if (first_line(event.data) == "[DONE]") {
      complete();
      return;
    }
    const Json json = parse_event(event);
    const auto error = json.find("error");
    if (error != json.end() && !error->is_null())
      throw error_of(0, find_service_error(json).value_or(ServiceError{}), {});
    if (const std::string model = text_of(json, "model"); !model.empty()) model_ = model;
    take_usage(json);
    const auto choices = json.find("choices");
    if (choices == json.end() || !choices->is_array() || choices->empty()) return;
    const Json& choice = choices->front();
    const auto delta = choice.find("delta");
    if (delta != choice.end() && delta->is_object()) add(*delta);
    if (const std::string reason = text_of(choice, "finish_reason"); !reason.empty()) stop_ = reason;
    if (stop_ == "error") throw error_of(0, {}, {});
  }

  // Some servers do not send [DONE]. An answer with a stop reason is complete.
  bool conclude(ModelAnswer& answer) override {
    if (stop_.empty()) return false;
    if (!reasoning_.empty()) answer.parts.push_back(reasoning_part({kFormat, asked_}, dump_line(reasoning_)));
    if (!text_.empty()) answer.parts.push_back(text_part(std::move(text_)));
    std::set<std::string> ids;
    for (Part& call : calls_) {
      // Some servers give no ids, or the same id to all calls.
      if (call.id.empty() || !ids.insert(call.id).second) call.id = "call_" + new_id();
      ids.insert(call.id);
      if (call.arguments.empty()) call.arguments = "{}";
      answer.parts.push_back(std::move(call));
    }
    answer.stop = refused_ ? ModelAnswer::Stop::refused : to_stop(stop_);
    answer.usage = usage_;
    answer.model = model_;
    return true;
  }

 private:
  void add(const Json& delta) {
    add_reasoning(delta);
    add_text(text_of(delta, "content"));
    const std::string refusal = text_of(delta, "refusal");
    refused_ = refused_ || !refusal.empty();
    add_text(refusal);
    const auto calls = delta.find("tool_calls");
    if (calls == delta.end() || !calls->is_array()) return;
    for (const Json& piece : *calls) add_call(piece);
  }

  void add_text(const std::string& text) {
    grow(text.size());
    text_ += text;
    say(text);
  }

  // The names that servers have for it. The last one is a list of objects that come in pieces.
  void add_reasoning(const Json& delta) {
    for (const char* key : {"reasoning_content", "reasoning"}) {
      const std::string piece = text_of(delta, key);
      if (piece.empty()) continue;
      grow(piece.size());
      if (!reasoning_.contains(key)) reasoning_[key] = "";
      reasoning_[key].get_ref<std::string&>() += piece;
    }
    const auto details = delta.find("reasoning_details");
    if (details == delta.end() || !details->is_array()) return;
    for (const Json& detail : *details) add_detail(detail);
  }

  void add_detail(const Json& detail) {
    if (!detail.is_object()) return;
    grow(dump_line(detail).size());
    Json& all = reasoning_["reasoning_details"];
    if (all.is_null()) all = Json::array();
    const auto key_of = [](const Json& one) { return std::pair(text_of(one, "type"), one.value("index", Json())); };
    if (all.empty() || key_of(all.back()) != key_of(detail)) {
      all.push_back(detail);
      return;
    }
    Json& last = all.back();
    for (const auto& [key, value] : detail.items()) {
      const bool is_text = key == "text" || key == "summary" || key == "data";
      if (is_text && value.is_string() && last.contains(key) && last[key].is_string()) {
        last[key].get_ref<std::string&>() += value.get<std::string>();
      } else if (!value.is_null()) {
        last[key] = value;
      }
    }
  }

  void add_call(const Json& piece) {
    const auto function = piece.find("function");
    const Json none = Json::object();
    const Json& said = function != piece.end() && function->is_object() ? *function : none;
    Part& call = call_of(piece, text_of(said, "name"));
    const auto arguments = said.find("arguments");
    if (arguments == said.end() || arguments->is_null()) return;
    const std::string more = arguments->is_string() ? arguments->get<std::string>() : dump_line(*arguments);
    grow(more.size());
    call.arguments += more;
  }

  // The call that a piece belongs to, by its index. Some servers give no index, or the same index to calls with
  // different ids.
  Part& call_of(const Json& piece, const std::string& name) {
    const std::string id = text_of(piece, "id");
    const auto index = piece.find("index");
    const bool indexed = index != piece.end() && index->is_number_integer();
    const int number = indexed ? index->get<int>() : -1;
    const auto known = by_index_.find(number);
    const bool starts = known == by_index_.end() || (!name.empty() && !id.empty() && calls_[known->second].id != id) ||
                        (!indexed && !name.empty());
    if (starts) {
      grow(id.size() + name.size());
      by_index_[number] = calls_.size();
      calls_.push_back(call_part(id, name));
      return calls_.back();
    }
    Part& call = calls_[known->second];
    if (call.id.empty()) call.id = id;
    if (call.name.empty()) call.name = name;
    return call;
  }

  // Repeated counts are the sum so far.
  void take_usage(const Json& json) {
    const auto usage = json.find("usage");
    if (usage == json.end() || !usage->is_object()) return;
    const auto details = usage->find("prompt_tokens_details");
    const std::int64_t input = count_of(*usage, "prompt_tokens");
    const std::int64_t cached = details == usage->end() ? 0 : std::min(input, count_of(*details, "cached_tokens"));
    usage_ = {.input = input - cached, .output = count_of(*usage, "completion_tokens"), .cache_read = cached};
  }

  std::string asked_;  // the model of the request
  std::string text_, stop_, model_;
  Json reasoning_ = Json::object();  // fields of the message, as they are sent back
  std::vector<Part> calls_;
  std::map<int, std::size_t> by_index_;
  bool refused_ = false;
  Usage usage_;
};

}  // namespace

std::string OpenAi::body(const ModelRequest& request) const {
  JsonText body;
  body.add("model", model_);
  body.add("stream", true);
  if (counts_tokens_) body.add_json("stream_options", R"({"include_usage":true})");
  const Limit limit = request.max_tokens > 0 ? limit_ : Limit::none;
  if (limit == Limit::max_tokens) body.add("max_tokens", request.max_tokens);
  if (limit == Limit::max_completion_tokens) body.add("max_completion_tokens", request.max_tokens);
  if (!tuning_.effort.empty()) body.add("reasoning_effort", tuning_.effort);
  if (!request.tools.empty() && !request.may_call) body.add("tool_choice", "none");
  std::vector<std::string> tools;
  for (const ToolSpec& spec : request.tools) tools.push_back(to_tool(spec));
  if (!tools.empty()) body.add_json("tools", json_array(tools));
  std::vector<std::string> messages;
  if (!request.system.empty()) messages.push_back(to_message("system", repair_utf8(request.system)));
  const std::string_view format = returns_reasoning_ ? kFormat : "none";
  for (const Turn& turn : turns_with_present(request, {format, model_})) add_messages(turn, messages);
  body.add_json("messages", json_array(messages));
  return body.take();
}

std::unique_ptr<AnswerReader> OpenAi::read(Provider::Hear hear) const {
  return std::make_unique<Reader>(std::move(hear), model_);
}

bool OpenAi::adapt(int status, const ServiceError& refusal) {
  if (status != 400 && status != 422) return false;
  const auto says = [&](std::string_view words) { return refusal.message.find(words) != std::string::npos; };
  if (counts_tokens_ && (says("stream_options") || says("include_usage"))) {
    counts_tokens_ = false;
    return true;
  }
  const bool demands_reasoning = says("must be passed back") || says("missing reasoning");
  if (returns_reasoning_ && says("reasoning") && !says("reasoning_effort") && !demands_reasoning) {
    returns_reasoning_ = false;
    return true;
  }
  const bool about_limit = says("max_tokens") || says("max_completion_tokens");
  if (!about_limit || limit_ == Limit::none) return false;
  // The model allows shorter answers than we asked for: use its limit.
  if (says("too large") && !says("context length")) {
    limit_ = Limit::none;
    return true;
  }
  const bool unknown =
      says("nsupported") || says("not supported") || says("nknown") || says("nrecognized") || says("not permitted");
  if (!unknown || renamed_limit_) return false;
  limit_ = limit_ == Limit::max_tokens ? Limit::max_completion_tokens : Limit::max_tokens;
  renamed_limit_ = true;
  return true;
}

}  // namespace team
