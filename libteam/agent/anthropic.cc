#include "libteam/agent/anthropic.h"

#include <map>
#include <nlohmann/json.hpp>

#include "libteam/base/text.h"

namespace team {

namespace {

constexpr std::size_t kLongestName = 64;

void mark_for_cache(Json& block) { block["cache_control"] = {{"type", "ephemeral"}}; }

Json to_block(const Part& part) {
  switch (part.kind) {
    case Part::Kind::text: return {{"type", "text"}, {"text", repair_utf8(part.text)}};
    case Part::Kind::tool_call:
      return {{"type", "tool_use"},
              {"id", tame(part.id)},
              {"name", tame(part.name).substr(0, kLongestName)},
              {"input", as_object(part.arguments)}};
    case Part::Kind::tool_result: break;
  }
  Json block = {{"type", "tool_result"}, {"tool_use_id", tame(part.id)}, {"content", repair_utf8(part.text)}};
  if (part.is_error) block["is_error"] = true;
  return block;
}

Json to_messages(const std::vector<Turn>& turns) {
  Json messages = Json::array();
  for (const Turn& turn : tidy(turns)) {
    Json content = Json::array();
    for (const Part& part : turn.parts) content.push_back(to_block(part));
    messages.push_back(
        {{"role", turn.role == Turn::Role::user ? "user" : "assistant"}, {"content", std::move(content)}});
  }
  int marks = 2;
  for (auto message = messages.rbegin(); message != messages.rend() && marks > 0; ++message) {
    if ((*message)["role"] != "user") continue;
    mark_for_cache((*message)["content"].back());
    --marks;
  }
  return messages;
}

Json to_tools(const std::vector<ToolSpec>& specs) {
  Json tools = Json::array();
  for (const ToolSpec& spec : specs) {
    tools.push_back({{"name", spec.name},
                     {"description", spec.description},
                     {"input_schema", parse_json(spec.schema, "schema of " + spec.name)}});
  }
  mark_for_cache(tools.back());
  return tools;
}

ModelAnswer::Stop to_stop(const std::string& reason) {
  using Stop = ModelAnswer::Stop;
  if (reason == "tool_use") return Stop::tool_calls;
  if (reason == "refusal") return Stop::refused;
  // A turn that was paused is like one that was cut: it is to be gone on with.
  if (reason == "max_tokens" || reason == "model_context_window_exceeded" || reason == "pause_turn")
    return Stop::too_long;
  return Stop::end;
}

class Reader : public AnswerReader {
 public:
  using AnswerReader::AnswerReader;

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
      const std::string reason = text_of(json.at("delta"), "stop_reason");
      if (!reason.empty()) stop_ = reason;
      take_usage(json);
    } else if (type == "message_stop") {
      complete();
    } else if (type == "error") {
      throw error_of(0, find_complaint(json).value_or(Complaint{}), {});
    }
    // Others are there to keep the connection, or came later than this code.
  }

  bool conclude(ModelAnswer& answer) override {
    if (!is_complete()) return false;
    for (auto& [index, block] : blocks_) {
      if (block.part.kind == Part::Kind::tool_call) {
        if (block.part.arguments.empty()) block.part.arguments = block.input;
        answer.parts.push_back(std::move(block.part));
      } else if (!block.part.text.empty()) {
        answer.parts.push_back(std::move(block.part));
      }
    }
    answer.stop = to_stop(stop_);
    answer.usage = usage_;
    answer.model = model_;
    return true;
  }

 private:
  struct Block {
    Part part;
    std::string input = "{}";  // what the start said, for servers that say it all there
  };

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
    }
    // What a model thinks, and what the service's own tools found, is not part of the conversation.
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
    }
  }

  void add_text(int index, const std::string& text) {
    grow(text.size());
    blocks_[index].part.text += text;
    say(text);
  }

  // The counts of the end are those of the whole answer and not all of them are said again.
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

  std::map<int, Block> blocks_;
  std::string stop_, model_;
  Usage usage_;
};

}  // namespace

Headers Anthropic::headers(const std::string& key) const {
  Headers headers = {{"anthropic-version", "2023-06-01"}};
  if (!key.empty()) headers.emplace_back("x-api-key", key);
  return headers;
}

std::string Anthropic::body(const ModelRequest& request) const {
  Json body = {{"model", model_}, {"max_tokens", request.max_tokens}, {"stream", true}};
  if (!request.system.empty()) {
    Json system = {{"type", "text"}, {"text", repair_utf8(request.system)}};
    mark_for_cache(system);
    body["system"] = Json::array({std::move(system)});
  }
  if (!request.tools.empty()) body["tools"] = to_tools(request.tools);
  if (!request.tools.empty() && !request.may_call) body["tool_choice"] = {{"type", "none"}};
  body["messages"] = to_messages(request.turns);
  return dump_line(body);
}

std::unique_ptr<AnswerReader> Anthropic::read(Provider::Hear hear) const {
  return std::make_unique<Reader>(std::move(hear));
}

}  // namespace team
