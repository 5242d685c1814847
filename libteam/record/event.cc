#include "libteam/record/event.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libteam/base/json_text.h"
#include "libteam/base/number.h"
#include "libteam/base/own_json.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/utf8.h"
#include "libteam/record/json_fields.h"

namespace team {

namespace {

constexpr std::string_view kStart = "{\"seq\":";

// An event nests its task some levels deeper than the file of the task does.
constexpr JsonLimits kLimits{.depth = JsonLimits{}.depth + 8};

std::string type_of_move(const Task& before, const Task& after) {
  if (before.status == after.status) return "TASK_UPDATED";
  switch (after.status) {
    case Status::in_progress: return "TASK_CLAIMED";
    case Status::completed: return "TASK_COMPLETED";
    case Status::failed: return "TASK_FAILED";
    case Status::pending: return before.status == Status::failed ? "TASK_REOPENED" : "TASK_RELEASED";
  }
  return "TASK_UPDATED";
}

// Replaces the largest details by a note until the line is within the limit of its readers.
std::string shorten(const std::string& details) {
  constexpr std::size_t kMost = JsonLimits{}.bytes - 4096;  // leaves room for the rest of the envelope
  Json body = parse_own(details);
  const std::string note = "(too long for the log)";
  while (dump_line(body).size() > kMost) {
    const auto largest = std::max_element(body.begin(), body.end(), [](const Json& one, const Json& other) {
      return dump_line(one).size() < dump_line(other).size();
    });
    if (*largest == note) break;
    *largest = note;
  }
  return dump_line(body);
}

JsonText about(const Task& task) {
  JsonText text;
  text.add("task_id", task.id);
  text.add("subject", task.subject);
  text.add("owner", task.owner);
  return text;
}

std::string json_or_null(const std::optional<Offer>& offer) { return offer ? to_json_text(*offer) : "null"; }

// The changed fields, as "key": [from, to].
class Changes {
 public:
  template <class Value>
  void compare(const char* key, const Value& from, const Value& to) {
    if (from != to) text_.add_json(key, fmt::format("[{},{}]", alone(from), alone(to)));
  }
  void compare_json(const char* key, const std::string& from, const std::string& to) {
    if (from != to) text_.add_json(key, fmt::format("[{},{}]", from, to));
  }
  std::string take() { return text_.take(); }

 private:
  // The JSON text of a value.
  template <class Value>
  static std::string alone(const Value& value) {
    constexpr std::string_view kBefore = "{\"\":";
    JsonText text;
    text.add("", value);
    const std::string object = text.take();
    return object.substr(kBefore.size(), object.size() - kBefore.size() - 1);
  }

  JsonText text_;
};

}  // namespace

std::string to_envelope(std::optional<std::int64_t> seq, double timestamp, const EventOrigin& origin,
                        const Event& event) {
  // A hook gets the whole of a proposed event; only the log limits the length.
  const bool too_large = seq && event.details.size() > JsonLimits{}.bytes / 2;
  const std::string details = too_large ? shorten(event.details) : event.details;
  JsonText type;
  type.add("type", event.type);
  std::string body = type.take();
  // Both texts are objects on one line, so they can be joined without parsing.
  if (details != "{}") body.replace(body.size() - 1, 1, ",").append(details, 1);
  JsonText text;
  text.add("seq", seq);
  text.add("timestamp", timestamp);
  text.add("team_id", origin.team);
  text.add("agent_id", origin.agent);
  text.add("role_name", origin.role);
  text.add("run_id", origin.run);
  text.add_json("event", body);
  return text.take();
}

std::optional<Envelope> find_envelope(std::string_view line) {
  try {
    return parse_envelope(line, "");
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<std::int64_t> sequence_of(std::string_view line) {
  if (!line.starts_with(kStart)) return std::nullopt;
  line.remove_prefix(kStart.size());
  const auto seq = parse_integer(line.substr(0, line.find(',')));
  return seq && *seq <= kLargestSequence ? seq : std::nullopt;
}

Envelope parse_envelope(std::string_view line, std::string_view where) {
  Fields fields(line, where, kLimits);
  Envelope envelope;
  envelope.seq = fields.integer("seq", 1, kLargestSequence).value_or(0);
  envelope.timestamp = fields.number("timestamp").value_or(0);
  envelope.agent = fields.text("agent_id").value_or("");
  const Json* event = fields.object("event");
  if (event == nullptr) fields.refuse("event", "an object");
  Fields inner(*event, line, where);
  envelope.type = inner.text("type").value_or("");
  envelope.details = inner.rest_text();
  envelope.line = line;
  envelope.role = fields.text("role_name");
  envelope.run = fields.text("run_id");
  return envelope;
}

Event task_event(std::string type, const Task& task) { return {std::move(type), about(task).take()}; }

Event task_change_event(const Task& before, const Task& after) {
  Changes changes;
  changes.compare("subject", before.subject, after.subject);
  changes.compare("description", before.description, after.description);
  changes.compare("status", name_of(before.status), name_of(after.status));
  changes.compare("owner", before.owner, after.owner);
  changes.compare("blockedBy", before.blocked_by, after.blocked_by);
  changes.compare("priority", before.priority, after.priority);
  changes.compare("role", before.role, after.role);
  changes.compare("deliverable", before.deliverable, after.deliverable);
  changes.compare("check", before.check, after.check);
  changes.compare("base", before.base, after.base);
  changes.compare_json("offer", json_or_null(before.offer), json_or_null(after.offer));
  changes.compare_json("metadata", before.metadata, after.metadata);
  JsonText details = about(after);
  details.add_json("changes", changes.take());
  if (after.status == Status::completed && after.result) details.add("result", after.result);
  if (after.status == Status::completed && after.receipt) details.add_json("receipt", to_json_text(*after.receipt));
  if (after.status != Status::completed && after.error) details.add("reason", after.error);
  return {type_of_move(before, after), details.take()};
}

Event message_event(std::string type, const Message& message) {
  constexpr std::size_t kLongestText = 1000;  // enough for a digest
  JsonText details;
  details.add("message_id", message.id);
  details.add("message_type", message.type);
  details.add("sender", message.sender);
  details.add("recipient", message.recipient);
  details.add("summary", message.summary);
  if (type == "MESSAGE_SENT") details.add("text", cut_characters(one_line(message.content), kLongestText));
  if (message.request_id) details.add("request_id", message.request_id);
  if (message.reply_to) details.add("reply_to", message.reply_to);
  if (message.approve) details.add("approve", message.approve);
  if (message.task) details.add("task_id", message.task);
  if (message.automatic) details.add("auto", true);
  return {std::move(type), details.take()};
}

Event with_task(Event event, const Task& task) {
  Json details = parse_own(event.details);
  Json whole = parse_own(to_file(task));
  if (task.id == 0) details["task_id"] = whole["id"] = nullptr;
  details["task"] = std::move(whole);
  event.details = dump_line(details);
  return event;
}

Event with_text(Event event, const std::string& text, std::optional<TaskId> task) {
  Json details = parse_own(event.details);
  details["text"] = text;
  details["task_id"] = task ? Json(*task) : Json(nullptr);
  event.details = dump_line(details);
  return event;
}

Event make_event(std::string type, const std::vector<std::pair<std::string, std::string>>& details) {
  Json json = Json::object();
  for (const auto& [key, value] : details) json[key] = value;
  return {std::move(type), dump_line(json)};
}

std::string describe(const Envelope& envelope) {
  const Json json = parse_own(envelope.details);
  std::string text;
  const auto text_of = [&](const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  if (json.contains("task_id")) text = fmt::format("#{} {}", json["task_id"].dump(), text_of("subject"));
  if (json.contains("message_id") && json.contains("sender")) {
    text = fmt::format("{} -> {}: {}", text_of("sender"), text_of("recipient"), text_of("summary"));
  }
  if (envelope.type == "TEXT_MESSAGE_CONTENT") return text_of("delta");
  // These events carry only ids, which are for programs.
  if (envelope.type == "TEXT_MESSAGE_START" || envelope.type == "TEXT_MESSAGE_END" ||
      envelope.type == "TOOL_CALL_END") {
    return json.contains("void") ? "(broken off)" : "";
  }
  constexpr std::size_t kLongest = 200;
  if (envelope.type == "TOOL_CALL_START") return text_of("tool_call_name");
  if (envelope.type == "TOOL_CALL_ARGS") return cut_characters(text_of("delta"), kLongest);
  if (envelope.type == "TOOL_CALL_RESULT") {
    const auto is_error = json.find("is_error");
    return (is_error != json.end() && *is_error == true ? "error: " : "") +
           cut_characters(text_of("content"), kLongest);
  }
  if (envelope.type == "STEP_STARTED" || envelope.type == "STEP_FINISHED") {
    text = text_of("step_name");
    if (text_of("phase") == "plan") text += " (plan)";
    if (json.contains("exit_status")) text += fmt::format(", exit status {}", json["exit_status"].dump());
    if (!text_of("outcome").empty()) text += ", " + text_of("outcome");
    const auto seconds = json.find("seconds");
    if (seconds != json.end() && seconds->is_number()) text += fmt::format(", {:.1f} s", seconds->get<double>());
    return text;
  }
  if (envelope.type == "MEMBER_STATE") {
    text = fmt::format("{}{}{}", text_of("from"), text_of("from").empty() ? "" : " -> ", text_of("to"));
  }
  if (!text.empty()) {
    const std::string reason = text_of("reason").empty() ? text_of("result") : text_of("reason");
    return reason.empty() ? text : fmt::format("{} ({})", text, reason);
  }
  for (const auto& item : json.items()) {
    const std::string value = item.value().is_string() ? item.value().get<std::string>() : dump_line(item.value());
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", item.key(), value);
  }
  return text;
}

std::string detail(const Envelope& envelope, const char* key) {
  const Json json = parse_own(envelope.details);
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace team
