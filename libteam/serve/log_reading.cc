#include "libteam/serve/log_reading.h"

#include <nlohmann/json.hpp>

#include <algorithm>

#include "libteam/base/json.h"
#include "libteam/base/json_text.h"
#include "libteam/base/own_json.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/utf8.h"
#include "libteam/record/event.h"
#include "libteam/serve/request_body.h"

namespace team {

namespace {

constexpr std::int64_t kMostListed = 1000;

struct Window {
  std::int64_t before = INT64_MAX;
  std::size_t limit = 0;
};

Window window_of(const WebRequest& request, std::int64_t usual) {
  const std::int64_t limit = number_in_query(request, "limit", usual);
  if (limit > kMostListed) fail(Code::usage, "limit: at most {}", kMostListed);
  return {number_in_query(request, "before", INT64_MAX), static_cast<std::size_t>(limit)};
}

// Calls `choose` for the events before a number, from the last one back, and collects the texts that it returns.
// Returns them oldest first.
template <class Choose>
std::string collect(const EventLog& log, const Window& window, const Choose& choose) {
  std::vector<std::string> found;
  std::size_t read = 0;
  log.each_backward([&](std::string_view line) {
    if (found.size() >= window.limit || ++read > kMostEventsRead) return false;
    const auto seq = sequence_of(line);
    if (!seq || *seq >= window.before) return true;
    if (auto text = choose(line)) found.push_back(std::move(*text));
    return true;
  });
  std::ranges::reverse(found);
  return json_array(found);
}

// A cheap test before a line is parsed.
bool mentions(std::string_view line, std::string_view text) { return line.find(text) != line.npos; }

bool is_text(const Json& object, const char* key, const std::string& text) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() && found->get_ref<const std::string&>() == text;
}

bool is_about_member(const Envelope& envelope, const std::string& name) {
  const Json details = parse_own(envelope.details);
  return envelope.agent == name || is_text(details, "sender", name) || is_text(details, "recipient", name) ||
         is_text(details, "member", name);
}

bool is_about_task(const Envelope& envelope, TaskId task) {
  const Json details = parse_own(envelope.details);
  for (const char* key : {"task_id", "task"}) {
    const auto found = details.find(key);
    if (found != details.end() && *found == task) return true;
  }
  return false;
}

}  // namespace

std::string event_list_json(const EventLog& log, const WebRequest& request) {
  constexpr std::int64_t kUsual = 200;
  const auto member = request.find_query("member");
  const TaskId task = number_in_query(request, "task", 0);
  return collect(log, window_of(request, kUsual), [&](std::string_view line) -> std::optional<std::string> {
    if (member && !mentions(line, *member)) return std::nullopt;
    const auto envelope = find_envelope(line);
    if (!envelope || (member && !is_about_member(*envelope, *member))) return std::nullopt;
    if (task > 0 && !is_about_task(*envelope, task)) return std::nullopt;
    return envelope->line;
  });
}

std::string message_list_json(const EventLog& log, const WebRequest& request) {
  constexpr std::int64_t kUsual = 100;
  const auto with = request.find_query("with");
  return collect(log, window_of(request, kUsual), [&](std::string_view line) -> std::optional<std::string> {
    if (!mentions(line, "\"MESSAGE_SENT\"")) return std::nullopt;
    const auto envelope = find_envelope(line);
    if (!envelope || envelope->type != "MESSAGE_SENT") return std::nullopt;
    const Json details = parse_own(envelope->details);
    if (with && !is_text(details, "sender", *with) && !is_text(details, "recipient", *with)) return std::nullopt;
    Json message = {{"id", details.value("message_id", Json())},
                    {"type", details.value("message_type", Json())},
                    {"sender", details.value("sender", Json())},
                    {"recipient", details.value("recipient", Json())},
                    {"summary", details.value("summary", Json())},
                    {"content", details.value("text", Json())},
                    {"timestamp", envelope->timestamp},
                    {"seq", envelope->seq}};
    for (const char* key : {"request_id", "reply_to", "approve"}) {
      if (details.contains(key)) message[key] = details[key];
    }
    return dump_line(message);
  });
}

// Reads back to the last claim of the task: its owner wrote the text since then.
std::string task_output_json(const EventLog& log, const Task& task) {
  constexpr std::size_t kMostText = 64 * 1024;
  constexpr std::size_t kMostEvents = 200;
  std::vector<std::string> events, pieces;
  std::size_t read = 0, length = 0;
  std::string message;      // that the last piece is of
  bool is_claimed = false;  // the claim was passed
  log.each_backward([&](std::string_view line) {
    if (++read > kMostEventsRead || events.size() >= kMostEvents) return false;
    const auto envelope = find_envelope(line);
    if (!envelope) return true;
    const bool is_text = envelope->type == "TEXT_MESSAGE_CONTENT";
    if (is_text && !is_claimed && task.owner == envelope->agent && length < kMostText) {
      const bool is_later = task.completed_at && envelope->timestamp > *task.completed_at;
      if (!is_later) {
        const std::string id = detail(*envelope, "message_id");
        const bool is_another = !pieces.empty() && id != message;
        pieces.push_back(detail(*envelope, "delta") + (is_another ? "\n" : ""));
        message = id;
        length += pieces.back().size();
      }
    }
    if (is_text || !is_about_task(*envelope, task.id)) return true;
    events.push_back(envelope->line);
    is_claimed = is_claimed || envelope->type == "TASK_CLAIMED";
    return envelope->type != "TASK_CREATED";
  });
  std::ranges::reverse(events);
  std::string text;
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) text += *piece;
  if (text.size() > kMostText) text = repair_utf8(std::string_view(text).substr(text.size() - kMostText));
  JsonText json;
  json.add("id", task.id);
  json.add("status", name_of(task.status));
  json.add("owner", task.owner);
  json.add("result", task.result);
  json.add("error", task.error);
  json.add("deliverable", task.deliverable);
  json.add("attempts", task.attempts);
  json.add("text", text);
  json.add_json("events", json_array(events));
  return json.take();
}

}  // namespace team
