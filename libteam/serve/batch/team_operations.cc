#include "libteam/agent/life/shutdown.h"
#include "libteam/base/json_text.h"
#include "libteam/base/number.h"
#include "libteam/base/terminal_text.h"
#include "libteam/record/settings.h"
#include "libteam/serve/batch/operation.h"
#include "libteam/serve/log_reading.h"

namespace team {

namespace {

std::string list_teams(BatchCall& call) { return json_array_of_texts(call.engine().names()); }

std::string show_status(BatchCall& call) {
  return to_line(call.session().status([](TaskId, const Error&) {}));
}

std::string list_teammates(BatchCall& call) {
  std::vector<std::string> members;
  for (const MemberStatus& one : call.session().members()) {
    if (one.state != "lead") members.push_back(to_line(one));
  }
  return json_array(members);
}

// The keys are those of GET /api/log.
std::string list_events(BatchCall& call) {
  WebRequest query;
  for (const char* key : {"before", "limit", "member", "task"}) {
    if (auto value = call.request().value(key)) query.query.emplace_back(key, std::move(*value));
  }
  return event_list_json(call.session().mail().events(), query);
}

std::string setting_json(const std::string& key, const Team& team) {
  JsonText json;
  json.add("key", key);
  json.add("value", setting(team, key));
  return json.take();
}

std::string list_settings(const Team& team) {
  std::vector<std::string> settings;
  for (const SettingRule& rule : setting_rules()) settings.push_back(setting_json(std::string(rule.key), team));
  return json_array(settings);
}

// Without a value it reads; null restores the default.
std::string configure(BatchCall& call) {
  const RequestBody& request = call.request();
  const auto key = request.text("key");
  TeamSession& session = call.session();
  if (!key) return list_settings(session.team());
  if (!request.has("value")) return setting_json(*key, session.team());
  session.set(*key, request.value("value"));
  call.made();
  session.refresh();
  return setting_json(*key, session.team());
}

std::string join(BatchCall& call) {
  const RequestBody& request = call.request();
  const TeamSession& session = call.session();
  const std::string name = request.text("member").value_or(session.self().name);
  if (session.self().name != name) session.require_lead("add others");
  session.membership().join(name, request.text("role"));
  call.made();
  return "{}";
}

std::string leave(BatchCall& call) {
  const RequestBody& request = call.request();
  const TeamSession& session = call.session();
  const std::string name = request.text("member").value_or(session.self().name);
  if (session.self().name != name) session.require_lead("remove others");
  session.membership().leave({name});
  call.made();
  return "{}";
}

WaitEnd wait_for(const TeamSession& session, const std::string& condition, const WaitRules& rules) {
  const TaskVisits quiet{[](const Task&) {}, [](TaskId, const Error&) {}};
  if (condition == "all-done") return session.wait_all_ended(rules, quiet);
  if (condition == "all-idle") return session.wait_all_idle(rules);
  if (condition.starts_with("idle=")) return session.wait_idle(condition.substr(5), rules);
  if (condition.starts_with("task=")) {
    const auto id = parse_integer(condition.substr(5));
    if (id && *id > 0) return session.wait_ended({*id}, rules, quiet);
  }
  fail(Code::usage, "request: '{}' is not all-done, all-idle, idle=NAME or task=ID", one_line(condition));
}

std::string wait(BatchCall& call) {
  const RequestBody& request = call.request();
  const std::string condition = request.needed_text("condition");
  WaitRules rules;
  const auto seconds = request.number("timeout");
  if (seconds) rules.deadline = Deadline::in(*seconds);
  rules.keep_waiting = request.boolean("keepWaiting").value_or(false);
  const WaitEnd end = wait_for(call.session(), condition, rules);
  if (end.kind == WaitEnd::Kind::hopeless) fail(Code::no, "{}", end.reason);
  if (end.kind == WaitEnd::Kind::too_late) fail(Code::no, "{} not within {} s", condition, *seconds);
  return "{}";
}

std::string stop(BatchCall& call) {
  constexpr double kUsual = 30;
  const RequestBody& request = call.request();
  const auto names = request.texts("members");
  if (names.empty()) fail(Code::usage, "request: the key 'members' is missing");
  const double seconds = request.number("timeout").value_or(kUsual);
  const Insist insist = request.boolean("force").value_or(false) ? Insist::yes : Insist::no;
  const TeamSession& session = call.session();
  session.require_lead("stop a teammate");
  for (const std::string& name : names) session.mail().mailbox(name);  // throws if there is no such member
  std::vector<std::string> ends;
  for (const Stopped& stopped : stop_teammates(session, names, seconds, insist)) {
    JsonText json;
    json.add("name", stopped.name);
    json.add("end", name_of(stopped.kind));
    json.add("reason", stopped.reason);
    ends.push_back(json.take());
  }
  call.made();
  return json_array(ends);
}

}  // namespace

std::vector<BatchOperation> team_batch_operations() {
  return {
      {"team-config", {"key", "value"}, configure},
      {"team-join", {"member", "role"}, join},
      {"team-leave", {"member"}, leave},
      {"team-list", {}, list_teams},
      {"team-log", {"before", "limit", "member", "task"}, list_events},
      {"team-status", {}, show_status},
      {"team-wait", {"condition", "timeout", "keepWaiting"}, wait},
      {"teammate-list", {}, list_teammates},
      {"teammate-stop", {"members", "timeout", "force"}, stop},
  };
}

}  // namespace team
