#include "libteam/agent/model/anthropic.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "libteam/agent/model/wire_text.h"
#include "libteam/base/json_text.h"
#include "libteam/base/number.h"
#include "libteam/base/utf8.h"

namespace team {

namespace {

constexpr std::string_view kFormat = "anthropic";
constexpr std::string_view kCacheControl = R"({"type":"ephemeral"})";

enum class Cache { yes, no };  // yes: the service caches everything up to here

std::string to_block(const Part& part, Cache cache) {
  if (part.kind == Part::Kind::reasoning) return part.arguments;
  JsonText block;
  switch (part.kind) {
    case Part::Kind::reasoning: break;
    case Part::Kind::text:
      block.add("type", "text");
      block.add("text", repair_utf8(part.text));
      break;
    case Part::Kind::tool_call:
      block.add("type", "tool_use");
      block.add("id", sanitize_name(part.id));
      block.add("name", sanitize_tool_name(part.name));
      block.add_json("input", dump_line(as_object(part.arguments)));
      break;
    case Part::Kind::tool_result:
      block.add("type", "tool_result");
      block.add("tool_use_id", sanitize_name(part.id));
      block.add("content", repair_utf8(part.text));
      if (part.is_error) block.add("is_error", true);
      break;
  }
  if (cache == Cache::yes) block.add_json("cache_control", kCacheControl);
  return block.take();
}

// `present` follows the parts of the turn, behind its cache mark.
std::string to_message(const Turn& turn, Cache cache, const std::string& present) {
  std::vector<std::string> content;
  for (const Part& part : turn.parts)
    content.push_back(to_block(part, &part == &turn.parts.back() ? cache : Cache::no));
  if (!present.empty()) content.push_back(to_block(text_part(present), Cache::no));
  JsonText message;
  message.add("role", turn.role == Turn::Role::user ? "user" : "assistant");
  message.add_json("content", json_array(content));
  return message.take();
}

// The last two turns of the user are marked for the cache. The last one gets the present state.
std::string to_messages(const std::vector<Turn>& turns, std::string present) {
  std::vector<std::string> messages;
  int marks = 2;
  for (auto turn = turns.rbegin(); turn != turns.rend(); ++turn) {
    const bool is_user = turn->role == Turn::Role::user;
    const bool is_marked = is_user && marks-- > 0;
    messages.push_back(
        to_message(*turn, is_marked ? Cache::yes : Cache::no, is_user ? std::exchange(present, "") : std::string()));
  }
  std::reverse(messages.begin(), messages.end());
  return json_array(messages);
}

std::string to_tools(const std::vector<ToolSpec>& specs) {
  std::vector<std::string> tools;
  for (const ToolSpec& spec : specs) {
    JsonText tool;
    tool.add("name", spec.name);
    tool.add("description", spec.description);
    tool.add_json("input_schema", schema_of(spec));
    if (&spec == &specs.back()) tool.add_json("cache_control", kCacheControl);
    tools.push_back(tool.take());
  }
  return json_array(tools);
}

// The service refuses to begin thinking between the calls of an answer that had none.
bool is_in_calls_without_thinking(const std::vector<Turn>& turns) {
  const auto is_of_model = [](const Turn& turn) { return turn.role == Turn::Role::model; };
  const auto last = std::find_if(turns.rbegin(), turns.rend(), is_of_model);
  if (last == turns.rend()) return false;
  const auto has = [&](Part::Kind kind) {
    return std::any_of(last->parts.begin(), last->parts.end(), [&](const Part& part) { return part.kind == kind; });
  };
  return has(Part::Kind::tool_call) && !has(Part::Kind::reasoning);
}

ModelAnswer::Stop to_stop(const std::string& reason) {
  using Stop = ModelAnswer::Stop;
  if (reason == "tool_use") return Stop::tool_calls;
  if (reason == "refusal") return Stop::refused;
  if (reason == "pause_turn") return Stop::paused;
  if (reason == "max_tokens" || reason == "model_context_window_exceeded") return Stop::too_long;
  return Stop::end;
}

class Reader : public AnswerReader {
 public:
  Reader(Provider::Hear hear, std::string asked) : AnswerReader(std::move(hear)), asked_(std::move(asked)) {}

 protected:
  void take(const ServerEvent& event) override {
    const Json json = parse_event(event);
    const std::string type = text_of(json, "type");
    if (type == "message_start") {
      const Json& message = json.at("message");
      model_ = text_of(message, "model");
      take_usage(message);
    } else if (type == "content_block_start") {
      start_block(json.at("index").get<int>(), json.at("content_block"));
    } else if (type == "content_block_delta") {
      add(json.at("index").get<int>(), json.at("delta"));
    } else if (type == "message_delta") {
      const Json& delta = json.at("delta");
      const std::string reason = text_of(delta, "stop_reason");
      if (!reason.empty()) stop_ = reason;
      take_stop_details(delta);
      take_usage(json);
    } else if (type == "message_stop") {
      complete();
    } else if (type == "error") {
      throw error_of(0, find_service_error(json).value_or(ServiceError{}), {});
    }
    // Other events keep the connection alive, or are newer than this code.
  }

  bool conclude(ModelAnswer& answer) override {
    if (!is_complete()) return false;
    for (auto& [index, block] : blocks_) {
      if (!block.thinking.is_null()) {
        // Thinking that was cut has no signature, and the service would refuse it. Some servers never give one.
        const bool is_last = index == blocks_.rbegin()->first;
        const bool is_cut =
            is_last && block.thinking.contains("signature") && text_of(block.thinking, "signature").empty();
        if (!is_cut) answer.parts.push_back(reasoning_part({kFormat, asked_}, dump_line(block.thinking)));
      } else if (block.part.kind == Part::Kind::tool_call) {
        if (block.part.arguments.empty()) block.part.arguments = block.input;
        answer.parts.push_back(std::move(block.part));
      } else if (!block.part.text.empty()) {
        answer.parts.push_back(std::move(block.part));
      }
    }
    answer.stop = to_stop(stop_);
    answer.refusal = refusal_;
    answer.usage = usage_;
    answer.model = model_;
    return true;
  }

 private:
  struct Block {
    Part part;
    std::string input = "{}";  // of the start event, for servers that send everything there
    Json thinking = nullptr;   // the whole block, if it is a thinking block
  };

  void take_stop_details(const Json& delta) {
    const auto details = delta.find("stop_details");
    if (details == delta.end() || !details->is_object()) return;
    refusal_ = text_of(*details, "explanation");
    const std::string category = text_of(*details, "category");
    if (!category.empty()) refusal_ = refusal_.empty() ? category : category + ": " + refusal_;
  }

  void start_block(int index, const Json& content) {
    const std::string type = text_of(content, "type");
    if (type == "text") {
      blocks_[index] = {};
      add_text(index, text_of(content, "text"));
    } else if (type == "tool_use") {
      Block& block = blocks_[index] = {};
      block.part = call_part(text_of(content, "id"), text_of(content, "name"));
      const auto input = content.find("input");
      if (input != content.end() && input->is_object()) block.input = dump_line(*input);
      grow(block.input.size());
    } else if (type == "thinking") {
      blocks_[index].thinking = {
          {"type", type}, {"thinking", text_of(content, "thinking")}, {"signature", text_of(content, "signature")}};
      grow(text_of(content, "thinking").size());
    } else if (type == "redacted_thinking") {
      blocks_[index].thinking = {{"type", type}, {"data", text_of(content, "data")}};
      grow(text_of(content, "data").size());
    }
    // The results of the service's own tools are not part of the conversation.
  }

  void add(int index, const Json& delta) {
    const auto block = blocks_.find(index);
    if (block == blocks_.end()) return;
    const std::string type = text_of(delta, "type");
    if (type == "text_delta") {
      add_text(index, delta.at("text").get_ref<const std::string&>());
    } else if (type == "input_json_delta") {
      const auto& piece = delta.at("partial_json").get_ref<const std::string&>();
      grow(piece.size());
      block->second.part.arguments += piece;
    } else if (type == "thinking_delta") {
      add_thinking(block->second, "thinking", delta);
    } else if (type == "signature_delta") {
      add_thinking(block->second, "signature", delta);
    }
  }

  void add_thinking(Block& block, const char* key, const Json& delta) {
    if (block.thinking.is_null()) return;
    const auto& piece = delta.at(key).get_ref<const std::string&>();
    grow(piece.size());
    block.thinking[key].get_ref<std::string&>() += piece;
  }

  void add_text(int index, const std::string& text) {
    grow(text.size());
    blocks_[index].part.text += text;
    say(text);
  }

  // The last counts are those of the whole answer, but they do not repeat all fields.
  void take_usage(const Json& holder) {
    const auto usage = holder.find("usage");
    if (usage == holder.end() || !usage->is_object()) return;
    const auto take_count = [&](const char* key, std::int64_t& count) {
      if (usage->contains(key)) count = count_of(*usage, key);
    };
    take_count("input_tokens", usage_.input);
    take_count("output_tokens", usage_.output);
    take_count("cache_read_input_tokens", usage_.cache_read);
    take_count("cache_creation_input_tokens", usage_.cache_written);
  }

  std::string asked_;  // the model of the request
  std::map<int, Block> blocks_;
  std::string stop_, model_, refusal_;
  Usage usage_;
};

}  // namespace

Headers Anthropic::headers(const std::string& key) const {
  Headers headers = {{"anthropic-version", "2023-06-01"}};
  if (!key.empty()) headers.emplace_back("x-api-key", key);
  return headers;
}

std::string Anthropic::body(const ModelRequest& request) const {
  const bool is_off = tuning_.thinking == "off" || !returns_thinking_;
  const std::vector<Turn> turns = normalize_turns(request.turns, {is_off ? "none" : kFormat, model_});
  const std::int64_t limit = request.max_tokens > 0 ? request.max_tokens : longest_answer_of(model_);
  JsonText body;
  body.add("model", model_);
  body.add("max_tokens", limit);
  body.add("stream", true);
  if (const std::string config = thinking(turns, limit); !config.empty()) body.add_json("thinking", config);
  if (!tuning_.effort.empty()) {
    JsonText output;
    output.add("effort", tuning_.effort);
    body.add_json("output_config", output.take());
  }
  if (!request.system.empty()) body.add_json("system", json_array({to_block(text_part(request.system), Cache::yes)}));
  if (!request.tools.empty()) body.add_json("tools", to_tools(request.tools));
  if (!request.tools.empty() && !request.may_call) body.add_json("tool_choice", R"({"type":"none"})");
  body.add_json("messages", to_messages(turns, request.present));
  return body.take();
}

std::string Anthropic::thinking(const std::vector<Turn>& turns, std::int64_t max_tokens) const {
  if (tuning_.thinking == "off") return R"({"type":"disabled"})";
  const bool is_default = tuning_.thinking.empty() && has_default_thinking_ && thinks_adaptively(model_);
  if (is_default || tuning_.thinking == "adaptive") return R"({"type":"adaptive"})";
  const auto tokens = parse_integer(tuning_.thinking);
  if (!tokens || is_in_calls_without_thinking(turns)) return "";
  // The service refuses a small budget, and a large one leaves no room for the answer.
  constexpr std::int64_t kLeast = 1024;
  const std::int64_t budget = std::min(*tokens, max_tokens - max_tokens / 4);
  if (budget < kLeast) return "";
  JsonText config;
  config.add("type", "enabled");
  config.add("budget_tokens", budget);
  return config.take();
}

// A service refuses the blocks of another service, and thinking for models that cannot think. Later requests
// leave the refused parts out, so that the conversation can continue.
bool Anthropic::adapt(int status, const ServiceError& refusal) {
  const bool is_about_thinking = refusal.message.find("thinking") != std::string::npos;
  if (status != 400 || !is_about_thinking) return false;
  const bool is_about_blocks =
      refusal.message.find("block") != std::string::npos || refusal.message.find("signature") != std::string::npos;
  bool& setting = is_about_blocks ? returns_thinking_ : has_default_thinking_;
  if (!is_about_blocks && !thinks_adaptively(model_)) return false;
  return std::exchange(setting, false);
}

std::unique_ptr<AnswerReader> Anthropic::read(Provider::Hear hear) const {
  return std::make_unique<Reader>(std::move(hear), model_);
}

}  // namespace team
