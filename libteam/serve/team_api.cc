#include "libteam/serve/team_api.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libteam/base/json_text.h"
#include "libteam/base/number.h"

namespace team {

namespace {

constexpr std::string_view kLeader = "leader";

std::string quote(TaskId id) { return '"' + std::to_string(id) + '"'; }

std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

TaskId need_reference(const Json& value, const char* key) {
  if (value.is_number_unsigned() || value.is_number_integer()) {
    const bool fits = value.is_number_unsigned()
                          ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(kLargestTaskId)
                          : value.get<std::int64_t>() >= 0;
    if (fits && value.get<std::int64_t>() > 0) return value.get<std::int64_t>();
  }
  const auto id = value.is_string() ? parse_task_reference(value.get<std::string>()) : std::nullopt;
  if (!id) fail(Code::usage, "'{}' must be the id of a task, such as \"1\" or \"T-001\"", key);
  return *id;
}

}  // namespace

std::optional<TaskId> parse_task_reference(std::string_view text) {
  if (text.starts_with('#')) text.remove_prefix(1);
  else if (text.starts_with("T-") || text.starts_with("t-")) text.remove_prefix(2);
  while (text.size() > 1 && text.front() == '0') text.remove_prefix(1);
  const auto id = parse_integer(text);
  return id && *id > 0 ? id : std::nullopt;
}

ApiParameters::ApiParameters(const WebRequest& request) : request_(request) {
  Json body = Json::object();
  try {
    if (!request.body.empty()) body = parse_json(request.body, "body");
  } catch (const Error& error) {
    fail(Code::usage, "{}", error.what());
  }
  if (!body.is_object()) fail(Code::usage, "the body is not a JSON object");
  body_ = std::make_unique<const Json>(std::move(body));
}

ApiParameters::~ApiParameters() = default;

const Json* ApiParameters::find(const char* key) const {
  const auto found = body_->find(key);
  return found == body_->end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::string> ApiParameters::text(const char* key) const {
  const Json* value = find(key);
  if (value == nullptr) return request_.find_query(key);
  if (!value->is_string()) fail(Code::usage, "'{}' must be a string", key);
  return value->get<std::string>();
}

std::string ApiParameters::need_text(const char* key) const {
  auto value = text(key);
  if (!value) fail(Code::usage, "'{}' is missing", key);
  return std::move(*value);
}

std::optional<std::int64_t> ApiParameters::number(const char* key) const {
  const Json* value = find(key);
  if (value != nullptr) {
    const bool fits =
        value->is_number_integer() && !(value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX);
    if (!fits) fail(Code::usage, "'{}' must be a whole number", key);
    return value->get<std::int64_t>();
  }
  const auto query = request_.find_query(key);
  if (!query) return std::nullopt;
  const auto number = parse_integer(*query);
  if (!number) fail(Code::usage, "'{}' must be a whole number", key);
  return number;
}

std::optional<TaskId> ApiParameters::task(const char* key) const {
  if (const Json* value = find(key)) return need_reference(*value, key);
  const auto query = request_.find_query(key);
  return query ? std::optional(need_reference(Json(*query), key)) : std::nullopt;
}

std::vector<TaskId> ApiParameters::tasks(const char* key) const {
  const Json* value = find(key);
  if (value == nullptr) return {};
  if (!value->is_array()) fail(Code::usage, "'{}' must be an array", key);
  std::vector<TaskId> ids;
  for (const Json& element : *value) ids.push_back(need_reference(element, key));
  return ids;
}

std::string ApiParameters::team(const Service& service) const { return service.choose_team(text("session_id")); }

std::string resolve_agent(const Team& team, const std::string& name) {
  return name == kLeader && team.find(name) == nullptr ? team.lead : name;
}

std::string to_api_task(const Task& task, const std::vector<TaskId>& open_blockers) {
  std::vector<std::string> dependencies;
  for (const TaskId id : task.blocked_by) dependencies.push_back(quote(id));
  JsonText json;
  json.add("task_id", std::to_string(task.id));
  json.add("title", task.subject);
  json.add("description", task.description);
  json.add("status", name_of(task.status));
  json.add("priority", task.priority);
  json.add_json("dependencies", json_array(dependencies));
  json.add("assignee_agent_id", task.owner);
  json.add("result_summary", task.result ? task.result : task.error);
  json.add("created_by", task.created_by);
  json.add("is_blocked", !open_blockers.empty());
  json.add("deliverable_path", task.deliverable);
  return json.take();
}

std::string_view api_status_of(const MemberStatus& member) {
  if (!member.is_running) return "stopped";
  return member.state == "idle" || member.state == "paused" ? "idle" : "running";
}

std::vector<std::string> to_api_envelopes(std::string_view line, const Team& team) {
  Json json;
  try {
    json = parse_json(line, "the log");
  } catch (const Error&) {
    return {};
  }
  const auto event = json.is_object() ? json.find("event") : json.end();
  if (!json.is_object() || event == json.end() || !event->is_object()) return {};
  const auto role_of = [&](const std::string& name) {
    const Member* member = team.find(name);
    return name == team.lead ? Json(kLeader) : member != nullptr && member->role ? Json(*member->role) : Json(nullptr);
  };
  const std::string agent = text_of(json, "agent_id"), type = text_of(*event, "type");
  if (agent == team.lead) json["role_name"] = kLeader;
  std::vector<std::string> envelopes = {dump_line(json)};
  if (type == "MESSAGE_SENT") {
    const std::string sender = text_of(*event, "sender"), recipient = text_of(*event, "recipient");
    const Json received = {{"type", sender == "user" ? "USER_MESSAGE" : "TEAM_MESSAGE"},
                           {"message_id", text_of(*event, "message_id")},
                           {"message_type", text_of(*event, "message_type")},
                           {"from_agent_id", sender},
                           {"to_agent_id", recipient},
                           {"content", text_of(*event, "text")}};
    json["agent_id"] = recipient;
    json["role_name"] = role_of(recipient);
    json["run_id"] = nullptr;
    json["event"] = received;
    envelopes.push_back(dump_line(json));
  } else if (type == "MEMBER_STATE" && text_of(*event, "to") == "idle") {
    json["event"] = {{"type", "RUN_FINISHED"}, {"reason", text_of(*event, "reason")}};
    envelopes.push_back(dump_line(json));
  }
  return envelopes;
}

}  // namespace team
