#include "libteam/agent/acp/messages.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

namespace team {

namespace {

constexpr std::array<std::string_view, 4> kPlanModes = {"plan", "read-only", "readonly", "ask"};
// Here codex asks for what it may do elsewhere without asking. The mode `plan` of others ends no planning.
constexpr std::array<std::string_view, 2> kAskingModes = {"read-only", "ask"};
constexpr std::array<std::string_view, 5> kWorkModes = {"default", "build", "workspace-write", "agent", "auto"};

// Null if there is no such key.
const Json* member(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

const Json* object_in(const Json& object, const char* key) {
  const Json* found = member(object, key);
  return found != nullptr && found->is_object() ? found : nullptr;
}

const Json& array_in(const Json& object, const char* key) {
  static const Json kNone = Json::array();
  const Json* found = member(object, key);
  return found != nullptr && found->is_array() ? *found : kNone;
}

std::string text_in(const Json& object, const char* key) {
  const Json* found = member(object, key);
  return found != nullptr && found->is_string() ? found->get<std::string>() : "";
}

std::int64_t count_in(const Json& object, const char* key) {
  constexpr double kMost = 1e15;
  const Json* found = member(object, key);
  if (found == nullptr || !found->is_number()) return 0;
  const double count = found->get<double>();
  return count > 0 && count < kMost ? static_cast<std::int64_t>(count) : 0;
}

bool is_plan_mode(std::string_view mode) {
  return std::find(kPlanModes.begin(), kPlanModes.end(), mode) != kPlanModes.end();
}

std::optional<std::string> first_of(const auto& wanted, const std::vector<std::string>& modes) {
  for (const std::string_view one : wanted) {
    if (std::find(modes.begin(), modes.end(), one) != modes.end()) return std::string(one);
  }
  return std::nullopt;
}

// The text of a content block, or of a list of what tools give.
std::string content_text(const Json& content) {
  std::string text;
  if (content.is_string()) return content.get<std::string>();
  if (content.is_object()) {
    if (const Json* inner = object_in(content, "content")) return content_text(*inner);
    if (text_in(content, "type") == "diff") return "changed " + text_in(content, "path");
    return text_in(content, "text");
  }
  if (!content.is_array()) return text;
  for (const Json& part : content) {
    if (part.is_array()) continue;
    const std::string piece = content_text(part);
    if (!text.empty() && !piece.empty()) text += "\n";
    text += piece;
  }
  return text;
}

AgentToolCall tool_call_of(const Json& object) {
  AgentToolCall call;
  call.id = text_in(object, "toolCallId");
  call.title = text_in(object, "title");
  call.name = text_in(object, "name");
  call.status = text_in(object, "status");
  if (const std::string kind = text_in(object, "kind"); !kind.empty()) {
    call.kind = tool_kind_of(kind);
    call.is_mode_switch = kind == "switch_mode";
  }
  if (const Json* input = member(object, "rawInput"); input != nullptr && !input->is_null()) {
    call.input = dump_line(*input);
    call.plan = text_in(*input, "plan");
  }
  if (const Json* content = member(object, "content")) call.output = content_text(*content);
  const Json* raw = member(object, "rawOutput");
  if (call.output.empty() && raw != nullptr && !raw->is_null()) {
    call.output = raw->is_string() ? raw->get<std::string>() : dump_line(*raw);
  }
  return call;
}

}  // namespace

std::optional<std::string> AgentModes::for_plan() const { return first_of(kPlanModes, all); }

std::optional<std::string> AgentModes::for_work(Asking asking) const {
  if (asking == Asking::must_ask) {
    if (auto mode = first_of(kAskingModes, all)) return mode;
  }
  if (!current.empty() && !is_plan_mode(current)) return current;
  return first_of(kWorkModes, all);
}

AgentModes modes_of(const Json& answer) {
  AgentModes modes;
  if (const Json* known = object_in(answer, "modes")) {
    modes.current = text_in(*known, "currentModeId");
    for (const Json& mode : array_in(*known, "availableModes")) modes.all.push_back(text_in(mode, "id"));
    if (!modes.all.empty()) return modes;
  }
  for (const Json& option : array_in(answer, "configOptions")) {
    if (text_in(option, "id") != "mode") continue;
    modes.option = "mode";
    modes.current = text_in(option, "currentValue");
    for (const Json& value : array_in(option, "options")) modes.all.push_back(text_in(value, "value"));
  }
  return modes;
}

std::string session_id_of(const Json& answer) { return text_in(answer, "sessionId"); }

bool can_load_session(const Json& answer) {
  const Json* known = object_in(answer, "agentCapabilities");
  const Json* loads = known != nullptr ? member(*known, "loadSession") : nullptr;
  return loads != nullptr && loads->is_boolean() && loads->get<bool>();
}

void AgentToolCall::update(const AgentToolCall& news) {
  if (!news.title.empty()) title = news.title;
  if (!news.name.empty()) name = news.name;
  if (!news.status.empty()) status = news.status;
  if (news.kind) kind = news.kind;
  if (news.is_mode_switch) is_mode_switch = news.is_mode_switch;
  if (news.input) input = news.input;
  if (!news.output.empty()) output = news.output;
  if (!news.plan.empty()) plan = news.plan;
}

AgentUpdate update_of(const Json& parameters) {
  using Kind = AgentUpdate::Kind;
  AgentUpdate update;
  const Json* news = object_in(parameters, "update");
  if (news == nullptr) return update;
  const std::string kind = text_in(*news, "sessionUpdate");
  if (kind == "agent_message_chunk") update.kind = Kind::text;
  else if (kind == "agent_thought_chunk") update.kind = Kind::thought;
  else if (kind == "user_message_chunk") update.kind = Kind::user_text;
  else if (kind == "tool_call" || kind == "tool_call_update") update.kind = Kind::tool_call;
  else if (kind == "usage_update") update.kind = Kind::usage;
  if (update.kind == Kind::tool_call) {
    update.call = tool_call_of(*news);
  } else if (const Json* content = object_in(*news, "content")) {
    update.text = text_in(*content, "text");
  }
  const Json* cost = update.kind == Kind::usage ? object_in(*news, "cost") : nullptr;
  const Json* amount = cost != nullptr && text_in(*cost, "currency") == "USD" ? member(*cost, "amount") : nullptr;
  if (amount != nullptr && amount->is_number() && amount->get<double>() >= 0) update.usd = amount->get<double>();
  return update;
}

std::optional<std::string> PermissionQuestion::option_for(Permission answer) const {
  const std::string_view word = answer == Permission::allow ? "allow" : "reject";
  std::optional<std::string> found;
  for (const Option& option : options) {
    if (!option.kind.starts_with(word)) continue;
    if (option.kind.ends_with("_once")) return option.id;
    if (!found) found = option.id;
  }
  return found;
}

PermissionQuestion question_of(const Json& parameters) {
  PermissionQuestion question;
  if (const Json* call = object_in(parameters, "toolCall")) question.call = tool_call_of(*call);
  for (const Json& option : array_in(parameters, "options")) {
    question.options.push_back({text_in(option, "optionId"), text_in(option, "kind")});
  }
  return question;
}

PromptAnswer prompt_answer_of(const Json& answer) {
  PromptAnswer read;
  read.stop = text_in(answer, "stopReason");
  const Json* usage = member(answer, "usage");
  read.denies_usage = usage != nullptr && usage->is_null();
  if (usage != nullptr && usage->is_object()) {
    read.usage.input = count_in(*usage, "inputTokens");
    read.usage.output = count_in(*usage, "outputTokens");
    read.usage.cache_read = count_in(*usage, "cachedReadTokens");
    read.usage.cache_written = count_in(*usage, "cachedWriteTokens");
    return read;
  }
  const Json* meta = object_in(answer, "_meta");
  const Json* quota = meta != nullptr ? object_in(*meta, "quota") : nullptr;
  if (quota == nullptr) return read;
  if (const Json* tokens = object_in(*quota, "token_count")) {
    read.usage.input = count_in(*tokens, "input_tokens");
    read.usage.output = count_in(*tokens, "output_tokens");
  }
  for (const Json& one : array_in(*quota, "model_usage")) {
    if (read.model.empty()) read.model = text_in(one, "model");
  }
  return read;
}

std::string error_text_of(const Json& error) {
  std::string text = text_in(error, "message");
  const Json* data = member(error, "data");
  std::string details;
  if (data != nullptr && data->is_string()) details = data->get<std::string>();
  for (const char* key : {"details", "message", "error"}) {
    if (data != nullptr && details.empty()) details = text_in(*data, key);
  }
  if (!details.empty() && details != text) text += text.empty() ? details : ": " + details;
  return text.empty() ? "an error without a message" : text;
}

}  // namespace team
