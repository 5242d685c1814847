#include "libteam/record/member_state.h"

#include <array>

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
  if (const Json* arguments = fields.array("arguments")) {
    for (const Json& argument : *arguments) {
      if (!argument.is_string()) fields.refuse("arguments", "an array of strings");
      start.arguments.push_back(argument.get<std::string>());
    }
  }
  start.directory = fields.text("directory").value_or("");
  start.mode = fields.text("mode").value_or("foreground");
  return start;
}

}  // namespace

std::string_view name_of(State state) { return kNames[static_cast<std::size_t>(state)]; }

MemberState parse_member_state(std::string_view text, std::string_view file) {
  const Json json = parse_json(text, file);
  Fields fields(json, text, file);
  MemberState state;
  state.state = parse_state(fields);
  state.since = fields.number("since").value_or(0);
  state.reason = fields.text("reason").value_or("");
  state.task = fields.integer("task", 1, kLargestTaskId);
  state.host = fields.text("host").value_or("");
  state.pid = fields.integer("pid", 0, INT32_MAX).value_or(0);
  state.run = fields.text("run").value_or("");
  state.model = fields.text("model");
  if (const Json* usage = fields.object("usage")) state.usage = dump_line(*usage);
  state.pane = fields.text("pane");
  state.tmux = fields.text("tmux");
  state.resumable = fields.boolean("resumable").value_or(true);
  if (const Json* start = fields.object("start")) state.start = parse_start(*start, text, file);
  state.extra = dump_line(fields.rest());
  return state;
}

std::string to_file(const MemberState& state) {
  Json json = {
      {"state", name_of(state.state)},
      {"since", state.since},
      {"reason", state.reason},
      {"task", or_null(state.task)},
      {"host", state.host},
      {"pid", state.pid},
      {"run", state.run},
      {"model", or_null(state.model)},
      {"usage", Json::parse(state.usage)},
      {"pane", or_null(state.pane)},
      {"tmux", or_null(state.tmux)},
      {"resumable", state.resumable},
      {"start",
       {{"arguments", state.start.arguments}, {"directory", state.start.directory}, {"mode", state.start.mode}}}};
  json.update(Json::parse(state.extra));
  return dump_indented(json);
}

Event member_state_event(std::optional<State> from, const MemberState& now) {
  return {"MEMBER_STATE", dump_line({{"from", from ? Json(name_of(*from)) : Json(nullptr)},
                                     {"to", name_of(now.state)},
                                     {"reason", now.reason},
                                     {"task", or_null(now.task)}})};
}

}  // namespace team
