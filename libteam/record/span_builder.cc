#include "libteam/record/span_builder.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "libteam/base/own_json.h"
#include "libteam/base/utf8.h"
#include "libteam/record/model_choice.h"

namespace team {

namespace {

constexpr std::size_t kLongestText = 64 * 1024;  // of an answer; the rest is cut
constexpr std::size_t kMostTools = 1000;         // calls of one member without a result
constexpr std::string_view kOther = "_OTHER";    // the error type of the conventions for anything unnamed

std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool is_true(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_boolean() && found->get<bool>();
}

// FNV-1a, with a last step that spreads every bit.
std::uint64_t hash_text(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211U;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebU;
  hash ^= hash >> 31;
  return hash != 0 ? hash : 1;  // 0 is no valid id
}

void append_cut(std::string& text, std::string_view more) {
  if (text.size() >= kLongestText) return;
  text += more.substr(0, kLongestText - text.size());
  text.resize(whole_characters(text));
}

void add_usage(Attributes& attributes, const Usage& usage) {
  // The conventions count cached tokens as input tokens too.
  attributes.emplace_back("gen_ai.usage.input_tokens", usage.input + usage.cache_read + usage.cache_written);
  attributes.emplace_back("gen_ai.usage.output_tokens", usage.output);
  if (usage.cache_read > 0) attributes.emplace_back("gen_ai.usage.cache_read.input_tokens", usage.cache_read);
  if (usage.cache_written > 0) attributes.emplace_back("gen_ai.usage.cache_creation.input_tokens", usage.cache_written);
}

void add_model(Attributes& attributes, const std::string& model, const std::string& provider) {
  if (!provider.empty()) attributes.emplace_back("gen_ai.provider.name", provider);
  if (!model.empty()) attributes.emplace_back("gen_ai.request.model", model);
}

// The provider of an event of an older version, which does not name it.
std::string guess_provider(const std::string& model) {
  if (model.empty()) return "";
  ModelChoice choice;
  choice.model = model;
  return provider_of(choice);
}

}  // namespace

SpanBuilder::SpanBuilder(Options options, Visit visit) : options_(std::move(options)), visit_(std::move(visit)) {}

std::uint64_t SpanBuilder::hash(std::string_view kind, std::int64_t seq) const {
  return hash_text(fmt::format("{}\n{:.6f}\n{}\n{}", options_.team, options_.created_at, kind, seq));
}

std::string SpanBuilder::clean(std::string text) const {
  return options_.redact ? options_.redact(std::move(text)) : std::move(text);
}

// A span in the run of a member, else in the team run, else in a trace of its own.
TraceSpan SpanBuilder::begin(std::string_view kind, std::int64_t seq, std::string name, Run* run) const {
  TraceSpan span;
  span.self.span = hash(kind, seq);
  span.name = std::move(name);
  span.start = now_;
  const TraceSpan* parent = run != nullptr ? &run->span : team_run_ ? &*team_run_ : nullptr;
  if (parent != nullptr) {
    span.self.trace = parent->self.trace;
    span.parent = parent->self.span;
  } else {
    span.self.trace = {hash("trace", seq), hash("trace, second half", seq)};
  }
  return span;
}

void SpanBuilder::emit(TraceSpan span, double end) {
  span.end = std::max(span.start, end);
  if (span.error) {
    span.attributes.emplace_back("error.type", span.error->type);
    span.error->message = clean(std::move(span.error->message));
  }
  visit_(std::move(span));
}

void SpanBuilder::add(const Envelope& envelope) {
  // A log is written by several processes, and the clock may be set back.
  if (std::isfinite(envelope.timestamp)) now_ = std::max(now_, envelope.timestamp);
  const std::string& type = envelope.type;
  const Json details = parse_own(envelope.details);
  if (team_run_ended_) {
    if (type == "TEAM_RUN_ENDED" && text_of(details, "exit_status") != "0") {
      team_run_->error = SpanError{"exit_" + text_of(details, "exit_status"), text_of(details, "reason")};
    }
    end_team_run();
  }
  // The first event of the next run is not a sign of this one.
  Run* current = run_of(envelope);
  if (current != nullptr && (current->id.empty() || envelope.run == current->id)) current->last_sign = now_;
  if (type == "RUN_STARTED") begin_run(envelope);
  else if (type == "RUN_FINISHED") end_run(envelope.agent, now_, std::nullopt);
  else if (type == "RUN_ERROR") end_run(envelope.agent, now_, SpanError{"run_error", text_of(details, "message")});
  else if (type == "STEP_STARTED") need_run(envelope).ready = now_;
  else if (type == "STEP_FINISHED") finish_step(envelope);
  else if (type == "TEXT_MESSAGE_START") begin_answer(envelope, details);
  else if (type == "TEXT_MESSAGE_END") end_answer(envelope, details);
  else if (type == "TOOL_CALL_START") begin_tool(envelope, details);
  else if (type == "TOOL_CALL_RESULT") end_tool(envelope, details);
  else if (type.starts_with("TASK_")) add_task(envelope, details);
  else if (options_.content == Options::Content::yes) {
    Run* run = run_of(envelope);
    if (type == "TEXT_MESSAGE_CONTENT" && run != nullptr && run->chat)
      append_cut(run->chat->text, text_of(details, "delta"));
    if (type == "TOOL_CALL_ARGS" && run != nullptr) {
      const auto tool = run->tools.find(text_of(details, "tool_call_id"));
      if (tool != run->tools.end()) append_cut(tool->second.arguments, text_of(details, "delta"));
    }
  }
}

SpanBuilder::Run* SpanBuilder::run_of(const Envelope& envelope) {
  const auto found = runs_.find(envelope.agent);
  return found != runs_.end() ? &found->second : nullptr;
}

// The log may begin in the middle of a run.
SpanBuilder::Run& SpanBuilder::need_run(const Envelope& envelope) {
  if (run_of(envelope) == nullptr) begin_run(envelope);
  return runs_.at(envelope.agent);
}

void SpanBuilder::begin_run(const Envelope& envelope) {
  // A member has one run at a time: an open one was killed.
  if (const Run* old = run_of(envelope)) {
    end_run(envelope.agent, old->last_sign, SpanError{"lost", "the process ended without a report"});
    if (team_run_ended_) end_team_run();
  }
  if (!team_run_) {
    TraceSpan span = begin("team run", envelope.seq, "invoke_workflow " + options_.team, nullptr);
    span.attributes = {{"gen_ai.operation.name", "invoke_workflow"}, {"gen_ai.workflow.name", options_.team}};
    team_run_ = std::move(span);
  }
  Run run;
  run.span = begin("run", envelope.seq, "invoke_agent " + envelope.agent, nullptr);
  run.id = envelope.run.value_or("");
  run.last_sign = now_;
  run.span.attributes = {{"gen_ai.operation.name", "invoke_agent"}, {"gen_ai.agent.name", envelope.agent}};
  if (!run.id.empty()) run.span.attributes.emplace_back("gen_ai.conversation.id", run.id);
  if (envelope.role) run.span.attributes.emplace_back("teamkit.role", *envelope.role);
  runs_[envelope.agent] = std::move(run);
}

void SpanBuilder::end_run(const std::string& agent, double time, std::optional<SpanError> error) {
  const auto found = runs_.find(agent);
  if (found == runs_.end()) return;
  Run& run = found->second;
  abandon_tools(run, time);
  end_chat(run);
  add_model(run.span.attributes, run.model, run.provider);
  if (run.has_usage) add_usage(run.span.attributes, run.usage);
  run.span.error = std::move(error);
  emit(std::move(run.span), time);
  runs_.erase(found);
  team_run_end_ = std::max(team_run_end_, time);
  team_run_ended_ = runs_.empty();
}

void SpanBuilder::end_team_run() {
  emit(std::move(*team_run_), team_run_end_);
  team_run_.reset();
  team_run_ended_ = false;
}

void SpanBuilder::begin_answer(const Envelope& envelope, const Json& details) {
  Run& run = need_run(envelope);
  // The model repeats an answer that broke off. The repetition belongs to the same call.
  if (run.chat && !run.chat->has_ended) {
    run.chat->text.clear();
    return;
  }
  end_chat(run);
  Chat chat;
  chat.span = begin("chat", envelope.seq, "chat", &run);
  chat.span.kind = TraceSpan::Kind::client;
  chat.span.start = run.ready.value_or(now_);
  chat.message = text_of(details, "message_id");
  chat.span.attributes = {{"gen_ai.operation.name", "chat"}, {"gen_ai.agent.name", envelope.agent}};
  if (!run.id.empty()) chat.span.attributes.emplace_back("gen_ai.conversation.id", run.id);
  chat.span.attributes.emplace_back("gen_ai.response.time_to_first_chunk", std::max(0.0, now_ - chat.span.start));
  run.chat = std::move(chat);
}

void SpanBuilder::end_answer(const Envelope& envelope, const Json& details) {
  Run* run = run_of(envelope);
  if (run == nullptr || !run->chat || run->chat->has_ended) return;
  Chat& chat = *run->chat;
  if (is_true(details, "void")) {
    ++chat.failures;
    return;
  }
  chat.has_ended = true;
  chat.span.end = now_;
  run->ready = now_;
  const std::string model = text_of(details, "model");
  if (!model.empty()) {
    run->model = model;
    const std::string provider = text_of(details, "provider");
    run->provider = provider.empty() ? guess_provider(model) : provider;
  }
  chat.span.attributes.emplace_back("gen_ai.response.model", run->model);
  const auto usage = details.find("usage");
  if (usage == details.end() || !usage->is_object()) return;
  const Usage used = parse_usage(usage->dump());
  add_usage(chat.span.attributes, used);
  run->usage += used;
  run->has_usage = true;
}

// The calls of an answer follow it in the log. So its span is complete when the next step or answer begins.
void SpanBuilder::end_chat(Run& run) {
  if (!run.chat) return;
  Chat chat = std::move(*run.chat);
  run.chat.reset();
  add_model(chat.span.attributes, run.model, run.provider);
  if (!run.model.empty()) chat.span.name += " " + run.model;
  if (chat.failures > 0) chat.span.attributes.emplace_back("teamkit.retries", std::int64_t{chat.failures});
  if (!chat.has_ended) chat.span.error = SpanError{std::string(kOther), "the answer broke off"};
  if (options_.content == Options::Content::yes) {
    Json parts = Json::array();
    if (!chat.text.empty()) parts.push_back({{"type", "text"}, {"content", clean(std::move(chat.text))}});
    for (const std::string& call : chat.calls) parts.push_back(parse_own(call));
    const char* reason = !chat.has_ended ? "error" : chat.calls.empty() ? "stop" : "tool_call";
    const Json messages = Json::array({{{"role", "assistant"}, {"parts", parts}, {"finish_reason", reason}}});
    chat.span.attributes.emplace_back("gen_ai.output.messages", dump_line(messages));
  }
  const double end = chat.has_ended ? chat.span.end : run.last_sign;
  emit(std::move(chat.span), end);
}

void SpanBuilder::begin_tool(const Envelope& envelope, const Json& details) {
  Run& run = need_run(envelope);
  if (run.tools.size() >= kMostTools) return;
  Tool tool;
  tool.name = text_of(details, "tool_call_name");
  const std::string id = text_of(details, "tool_call_id");
  tool.span = begin("tool", envelope.seq, "execute_tool " + tool.name, &run);
  tool.span.attributes = {{"gen_ai.operation.name", "execute_tool"},
                          {"gen_ai.tool.name", tool.name},
                          {"gen_ai.tool.call.id", id},
                          {"gen_ai.tool.type", "function"},
                          {"gen_ai.agent.name", envelope.agent}};
  run.tools[id] = std::move(tool);
}

void SpanBuilder::end_tool(const Envelope& envelope, const Json& details) {
  Run* run = run_of(envelope);
  if (run == nullptr) return;
  run->ready = now_;
  const std::string id = text_of(details, "tool_call_id");
  const auto found = run->tools.find(id);
  if (found == run->tools.end()) return;
  Tool tool = std::move(found->second);
  run->tools.erase(found);
  const std::string result = clean(text_of(details, "content"));
  if (options_.content == Options::Content::yes) {
    std::string arguments = clean(std::move(tool.arguments));
    if (run->chat) {
      run->chat->calls.push_back(
          dump_line({{"type", "tool_call"}, {"id", id}, {"name", tool.name}, {"arguments", arguments}}));
    }
    tool.span.attributes.emplace_back("gen_ai.tool.call.arguments", std::move(arguments));
    tool.span.attributes.emplace_back("gen_ai.tool.call.result", result);
  }
  // The result of a failed call may quote files, so it is content.
  const bool tells = options_.content == Options::Content::yes;
  if (is_true(details, "is_error")) tool.span.error = SpanError{"tool_error", tells ? result : ""};
  emit(std::move(tool.span), now_);
}

void SpanBuilder::finish_step(const Envelope& envelope) {
  Run* run = run_of(envelope);
  if (run == nullptr) return;
  abandon_tools(*run, now_);
  end_chat(*run);
  run->ready.reset();
}

// A call without a result was interrupted.
void SpanBuilder::abandon_tools(Run& run, double time) {
  for (auto& [id, tool] : run.tools) {
    tool.span.error = SpanError{"interrupted", ""};
    emit(std::move(tool.span), time);
  }
  run.tools.clear();
}

void SpanBuilder::add_task(const Envelope& envelope, const Json& details) {
  const auto number = details.find("task_id");
  if (number == details.end() || !number->is_number_integer()) return;
  const auto id = number->get<TaskId>();
  const std::string& type = envelope.type;
  if (type == "TASK_CLAIMED") {
    begin_work(envelope, id, details);
  } else if (type == "TASK_COMPLETED") {
    const auto work = works_.find(id);
    last_completed_.reset();
    if (work != works_.end()) last_completed_ = {id, work->second.span.self};
    end_work(id, std::nullopt);
  } else if (type == "TASK_UNBLOCKED") {
    if (last_completed_) {
      unblocked_by_[id].push_back({last_completed_->second, {{"teamkit.task.id", last_completed_->first}}});
    }
  } else if (type == "TASK_FAILED") {
    end_work(id, SpanError{"task_failed", text_of(details, "reason")});
  } else if (type == "TASK_RELEASED" || type == "TASK_REOPENED") {
    end_work(id, SpanError{"task_released", text_of(details, "reason")});
  } else if (type == "TASK_DELETED") {
    end_work(id, SpanError{"task_deleted", ""});
    unblocked_by_.erase(id);
  }
}

void SpanBuilder::begin_work(const Envelope& envelope, TaskId id, const Json& details) {
  end_work(id, SpanError{"lost", "taken again"});
  Work work;
  work.owner = text_of(details, "owner");
  const auto run = runs_.find(work.owner);
  work.span = begin("task", envelope.seq, fmt::format("task {}", id), run != runs_.end() ? &run->second : nullptr);
  work.span.attributes = {{"teamkit.task.id", id}, {"teamkit.task.subject", clean(text_of(details, "subject"))}};
  if (!work.owner.empty()) work.span.attributes.emplace_back("gen_ai.agent.name", work.owner);
  if (const auto found = unblocked_by_.find(id); found != unblocked_by_.end()) {
    work.span.links = std::move(found->second);
    unblocked_by_.erase(found);
  }
  works_[id] = std::move(work);
}

void SpanBuilder::end_work(TaskId id, std::optional<SpanError> error) {
  const auto found = works_.find(id);
  if (found == works_.end()) return;
  found->second.span.error = std::move(error);
  emit(std::move(found->second.span), now_);
  works_.erase(found);
}

std::size_t SpanBuilder::close(const std::function<bool(const std::string& member)>& runs) {
  std::vector<std::pair<std::string, double>> dead;
  for (const auto& [agent, run] : runs_) {
    if (!runs(agent)) dead.emplace_back(agent, run.last_sign);
  }
  for (const auto& [agent, time] : dead) {
    end_run(agent, time, SpanError{"lost", "the process ended without a report"});
  }
  if (team_run_ended_) end_team_run();
  std::size_t open = works_.size() + runs_.size() + (team_run_ ? 1 : 0);
  for (const auto& [agent, run] : runs_) open += run.tools.size() + (run.chat ? 1 : 0);
  return open;
}

}  // namespace team
