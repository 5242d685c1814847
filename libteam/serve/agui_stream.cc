#include "libteam/serve/agui_stream.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "libteam/base/own_json.h"

namespace team {

namespace {

std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool is_true(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_boolean() && found->get<bool>();
}

// message_type becomes messageType.
std::string camel_case(const std::string& key) {
  std::string text;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const bool joins = key[i] == '_' && i > 0 && i + 1 < key.size() && key[i + 1] >= 'a' && key[i + 1] <= 'z';
    if (joins) text += static_cast<char>(key[++i] - 'a' + 'A');
    else text += key[i];
  }
  return text;
}

Json in_camel_case(const Json& json) {
  if (!json.is_object()) return json;
  Json renamed = Json::object();
  for (const auto& [key, value] : json.items()) renamed[camel_case(key)] = in_camel_case(value);
  return renamed;
}

// The key is left out if the text is empty: the protocol knows no null.
void add_text_if_any(Json& json, const char* key, const std::string& text) {
  if (!text.empty()) json[key] = text;
}

Json base(const char* type, double now) {
  Json json = {{"type", type}};
  if (now > 0) json["timestamp"] = static_cast<std::int64_t>(std::clamp(now, 0.0, 9e9) * 1000);
  return json;
}

Json run_event(const char* type, const AguiRun& run, double now) {
  Json json = base(type, now);
  json["threadId"] = run.thread;
  json["runId"] = run.run;
  return json;
}

}  // namespace

std::string agui_start(const AguiRun& run) { return sse_frame(0, dump_line(run_event("RUN_STARTED", run, 0))); }

std::string agui_end(const AguiRun& run) {
  Json json = run_event("RUN_FINISHED", run, 0);
  json["outcome"] = {{"type", "success"}};
  return sse_frame(0, dump_line(json));
}

void AguiTranslator::put(const char* type, const std::string& subagent, Json fields) {
  Json json = base(type, now_);
  add_text_if_any(json, "subagentRunId", subagent);
  json.update(fields);
  events_.push_back(dump_line(json));
}

bool AguiTranslator::translate(std::string_view line, std::string& to) {
  const auto envelope = find_envelope(line);
  if (!envelope) return true;
  events_.clear();
  const Json details = parse_own(envelope->details);
  now_ = std::isfinite(envelope->timestamp) ? envelope->timestamp : 0;
  const bool is_teammate = envelope->agent != run_.lead && envelope->run && !envelope->run->empty();
  subagent_ = is_teammate ? *envelope->run : "";
  if (is_teammate && envelope->type != "RUN_STARTED") open_subagent(*envelope);
  const std::string& type = envelope->type;
  if (type.starts_with("TEXT_MESSAGE_")) add_text(*envelope, details);
  else if (type.starts_with("TOOL_CALL_")) add_call(*envelope, details);
  else if (type == "STEP_STARTED" || type == "STEP_FINISHED") add_step(*envelope, details);
  else if (is_teammate && (type == "RUN_STARTED" || type == "RUN_FINISHED" || type == "RUN_ERROR"))
    add_run(*envelope, details);
  else add_custom(*envelope, details);

  bool goes_on = true;
  const auto end = progress_.add(*envelope);
  const bool is_for_user =
      (type == "PLAN_SUBMITTED" || type == "PERMISSION_REQUESTED") &&
      (text_of(details, "recipient") == "user" || (text_of(details, "recipient") == run_.lead && !run_.lead_runs));
  if (run_.last ? envelope->seq >= *run_.last : end.has_value()) {
    finish(end ? end->error : std::nullopt);
    goes_on = false;
  } else if (is_for_user && !run_.last) {
    interrupt(*envelope, details);
    goes_on = false;
  }
  // Only the last one has the number: a client that reconnects in between gets all again.
  for (std::size_t i = 0; i < events_.size(); ++i) {
    to += sse_frame(i + 1 == events_.size() ? envelope->seq : 0, events_[i]);
  }
  return goes_on;
}

void AguiTranslator::open_subagent(const Envelope& envelope) {
  if (open_.subagents.contains(subagent_) || closed_.contains(subagent_)) return;
  open_.subagents.insert(subagent_);
  Json fields = {{"name", envelope.agent}};
  add_text_if_any(fields, "description", envelope.role.value_or(""));
  put("SUBAGENT_STARTED", subagent_, std::move(fields));
}

void AguiTranslator::add_run(const Envelope& envelope, const Json& details) {
  open_subagent(envelope);
  if (envelope.type == "RUN_STARTED" || open_.subagents.erase(subagent_) == 0) return;
  closed_.insert(subagent_);
  if (envelope.type == "RUN_ERROR") {
    put("SUBAGENT_ERROR", subagent_, {{"message", text_of(details, "message")}});
  } else {
    put("SUBAGENT_FINISHED", subagent_, {{"result", text_of(details, "reason")}, {"outcome", {{"type", "success"}}}});
  }
}

void AguiTranslator::add_text(const Envelope& envelope, const Json& details) {
  const std::string id = text_of(details, "message_id");
  if (envelope.type == "TEXT_MESSAGE_END") count(details);
  const auto found = open_.messages.find(id);
  if (found == open_.messages.end()) {
    if (envelope.type == "TEXT_MESSAGE_END") return add_custom(envelope, details);
    open_.messages[id] = subagent_;
    last_message_[subagent_] = id;
    put("TEXT_MESSAGE_START", subagent_, {{"messageId", id}, {"role", "assistant"}, {"name", envelope.agent}});
    if (envelope.type == "TEXT_MESSAGE_START") return;
  }
  const std::string owner = open_.messages[id];
  if (envelope.type == "TEXT_MESSAGE_CONTENT") {
    // Clients of older versions of the protocol refuse an empty piece.
    const std::string piece = text_of(details, "delta");
    if (!piece.empty()) put("TEXT_MESSAGE_CONTENT", owner, {{"messageId", id}, {"delta", piece}});
  } else if (envelope.type == "TEXT_MESSAGE_END") {
    Json fields = {{"messageId", id}};
    Json metadata = in_camel_case(details);
    metadata.erase("messageId");
    if (!metadata.empty()) fields["metadata"] = std::move(metadata);
    put("TEXT_MESSAGE_END", owner, std::move(fields));
    open_.messages.erase(id);
  }
}

void AguiTranslator::count(const Json& details) {
  const auto usage = details.find("usage");
  if (usage == details.end() || !usage->is_object()) return;
  usage_[{text_of(details, "provider"), text_of(details, "model")}] += parse_usage(usage->dump());
}

void AguiTranslator::add_call(const Envelope& envelope, const Json& details) {
  const std::string id = text_of(details, "tool_call_id");
  const bool is_open = open_.calls.contains(id);
  if (envelope.type == "TOOL_CALL_START" && !is_open) {
    open_.calls[id] = subagent_;
    Json fields = {{"toolCallId", id}, {"toolCallName", text_of(details, "tool_call_name")}};
    add_text_if_any(fields, "parentMessageId", last_message_[subagent_]);
    put("TOOL_CALL_START", subagent_, std::move(fields));
  } else if (envelope.type == "TOOL_CALL_ARGS" && is_open) {
    put("TOOL_CALL_ARGS", open_.calls[id], {{"toolCallId", id}, {"delta", text_of(details, "delta")}});
  } else if (envelope.type == "TOOL_CALL_END" && is_open) {
    put("TOOL_CALL_END", open_.calls[id], {{"toolCallId", id}});
    open_.calls.erase(id);
  } else if (envelope.type == "TOOL_CALL_RESULT") {
    Json fields = {
        {"messageId", id + "-result"}, {"toolCallId", id}, {"content", text_of(details, "content")}, {"role", "tool"}};
    if (is_true(details, "is_error")) fields["metadata"] = {{"isError", true}};
    put("TOOL_CALL_RESULT", subagent_, std::move(fields));
  } else {
    add_custom(envelope, details);
  }
}

void AguiTranslator::add_step(const Envelope& envelope, const Json& details) {
  const std::pair step(subagent_, text_of(details, "step_name"));
  const bool starts = envelope.type == "STEP_STARTED";
  // Of two steps of one name the second is no step of the protocol.
  const bool is_valid = starts ? open_.steps.insert(step).second : open_.steps.erase(step) > 0;
  if (!is_valid) return add_custom(envelope, details);
  Json metadata = in_camel_case(details);
  metadata.erase("stepName");
  put(starts ? "STEP_STARTED" : "STEP_FINISHED", subagent_, {{"stepName", step.second}, {"metadata", metadata}});
}

void AguiTranslator::add_custom(const Envelope& envelope, const Json& details) {
  Json value = in_camel_case(details);
  value["agentId"] = envelope.agent;
  value["seq"] = envelope.seq;
  put("CUSTOM", subagent_, {{"name", envelope.type}, {"value", std::move(value)}});
}

void AguiTranslator::close_all() {
  for (const auto& [id, owner] : open_.messages) put("TEXT_MESSAGE_END", owner, {{"messageId", id}});
  for (const auto& [id, owner] : open_.calls) put("TOOL_CALL_END", owner, {{"toolCallId", id}});
  for (const auto& [owner, name] : open_.steps) put("STEP_FINISHED", owner, {{"stepName", name}});
  for (const std::string& id : open_.subagents) put("SUBAGENT_FINISHED", id, {{"outcome", {{"type", "suspended"}}}});
  open_ = {};
}

void AguiTranslator::finish(const std::optional<std::string>& error) {
  close_all();
  Json json = run_event(error ? "RUN_ERROR" : "RUN_FINISHED", run_, now_);
  if (error) {
    json = base("RUN_ERROR", now_);
    json["message"] = *error;
  } else {
    json["outcome"] = {{"type", "success"}};
    if (!progress_.result().empty()) json["result"] = progress_.result();
  }
  Json usages = Json::array();
  for (const auto& [key, usage] : usage_) {
    Json one = Json::object();
    add_text_if_any(one, "provider", key.first);
    add_text_if_any(one, "model", key.second);
    const std::int64_t input = usage.input + usage.cache_read + usage.cache_written;
    one["inputTokens"] = input;
    one["outputTokens"] = usage.output;
    one["totalTokens"] = input + usage.output;
    one["cachedInputTokens"] = usage.cache_read;
    one["cacheWriteInputTokens"] = usage.cache_written;
    usages.push_back(std::move(one));
  }
  if (!usages.empty()) json["usage"] = std::move(usages);
  events_.push_back(dump_line(json));
}

// The run of the client ends with a question. The team goes on, and the plan waits.
void AguiTranslator::interrupt(const Envelope& envelope, const Json& details) {
  Json question = {
      {"id", text_of(details, "request_id")},
      {"reason", envelope.type == "PLAN_SUBMITTED" ? "plan_approval" : "permission"},
      {"message", text_of(details, "text").empty() ? text_of(details, "summary") : text_of(details, "text")},
      {"responseSchema",
       {{"type", "object"},
        {"properties", {{"approve", {{"type", "boolean"}}}, {"feedback", {{"type", "string"}}}}},
        {"required", {"approve"}}}},
      {"metadata", {{"agentId", envelope.agent}}}};
  add_text_if_any(question, "subagentRunId", subagent_);
  close_all();
  Json json = run_event("RUN_FINISHED", run_, now_);
  json["outcome"] = {{"type", "interrupt"}, {"interrupts", Json::array({question})}};
  events_.push_back(dump_line(json));
}

}  // namespace team
