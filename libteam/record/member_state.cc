#include "libteam/record/member_state.h"

#include <array>

#include "libteam/base/json_text.h"
#include "libteam/record/json_fields.h"

namespace team {

namespace {

constexpr std::array<std::string_view, 7> kNames = {"spawn",  "active", "idle",    "plan_pending",
                                                    "paused", "error",  "shutdown"};

State parse_state(Fields& fields) {
  const std::string name = fields.text("state").value_or("");
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<State>(i);
  }
  fields.refuse("state", "spawn, active, idle, plan_pending, paused, error or shutdown");
}

Start parse_start(const Json& json, std::string_view text, std::string_view file) {
  Fields fields(json, text, file);
  Start start;
  start.arguments = fields.texts("arguments", "an array of strings").value_or(start.arguments);
  start.directory = fields.text("directory").value_or("");
  start.mode = fields.text("mode").value_or("foreground");
  return start;
}

}  // namespace

std::string_view name_of(State state) { return kNames[static_cast<std::size_t>(state)]; }

MemberState parse_member_state(std::string_view text, std::string_view file) {
  Fields fields(text, file);
  MemberState state;
  state.state = parse_state(fields);
  state.since = fields.number("since").value_or(0);
  state.reason = fields.text("reason").value_or("");
  state.task = fields.integer("task", 1, kLargestTaskId);
  state.host = fields.text("host").value_or("");
  state.pid = fields.integer("pid", 0, INT32_MAX).value_or(0);
  state.run = fields.text("run").value_or("");
  state.model = fields.text("model");
  state.usage = fields.object_text("usage").value_or(state.usage);
  state.worked = fields.number("worked").value_or(0);
  state.until = fields.number("until");
  if (const Json* session = fields.object("session")) {
    Fields inner(*session, text, file);
    state.session = {inner.text("command").value_or(""), inner.text("id").value_or(""),
                     inner.number("usd").value_or(0)};
  }
  state.pane = fields.text("pane");
  state.tmux = fields.text("tmux");
  state.resumable = fields.boolean("resumable").value_or(true);
  if (const Json* start = fields.object("start")) state.start = parse_start(*start, text, file);
  state.extra = fields.rest_text();
  return state;
}

std::string to_file(const MemberState& state) {
  JsonText start;
  start.add_json("arguments", json_array_of_texts(state.start.arguments));
  start.add("directory", state.start.directory);
  start.add("mode", state.start.mode);
  JsonText text(JsonText::Layout::indented);
  text.add("state", name_of(state.state));
  text.add("since", state.since);
  text.add("reason", state.reason);
  text.add("task", state.task);
  text.add("host", state.host);
  text.add("pid", state.pid);
  text.add("run", state.run);
  text.add("model", state.model);
  text.add_json("usage", state.usage);
  text.add("worked", state.worked);
  text.add("until", state.until);
  if (state.session) {
    JsonText session;
    session.add("command", state.session->command);
    session.add("id", state.session->id);
    if (state.session->usd > 0) session.add("usd", state.session->usd);
    text.add_json("session", session.take());
  }
  text.add("pane", state.pane);
  text.add("tmux", state.tmux);
  text.add("resumable", state.resumable);
  text.add_json("start", start.take());
  text.add_all_of(state.extra);
  return text.take();
}

Event member_state_event(std::optional<State> from, const MemberState& now) {
  JsonText details;
  details.add("from", from ? std::optional(name_of(*from)) : std::nullopt);
  details.add("to", name_of(now.state));
  details.add("reason", now.reason);
  details.add("task", now.task);
  return {"MEMBER_STATE", details.take()};
}

}  // namespace team
