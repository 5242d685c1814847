#include "libteam/base/json_text.h"
#include "libteam/record/actor.h"
#include "libteam/record/json_fields.h"
#include "libteam/record/settings.h"
#include "libteam/serve/inbox.h"
#include "libteam/serve/log_reading.h"
#include "libteam/serve/request_body.h"
#include "libteam/serve/router.h"
#include "libteam/serve/task_json.h"
#include "libteam/store/quota_ledger.h"
#include "libteam/store/status.h"

namespace team {

namespace {

WebResponse show_server(const Service& service, const WebRequest&) {
  const ServiceOptions& options = service.options();
  JsonText json;
  json.add("version", TEAMKIT_VERSION);
  json.add("root", service.engine().place());
  json.add("team", options.team);
  json.add("actor", choose_actor(options.member, std::nullopt));
  json.add("readOnly", options.read_only);
  json.add("allowRun", options.allow_run);
  json.add("startedAt", options.started_at);
  return json_response(json.take());
}

WebResponse list_teams(const Service& service, const WebRequest&) {
  std::vector<std::string> teams;
  for (const std::string& name : service.engine().names()) {
    try {
      teams.push_back(to_line(service.engine().get(name)));
    } catch (const Error& error) {
      if (error.code() != Code::corrupt) throw;
      JsonText json;
      json.add("name", name);
      json.add("code", name_of(error.code()));
      json.add("error", error.what());
      teams.push_back(json.take());
    }
  }
  return json_response(json_array(teams));
}

// The number of the last event is read first: a client that follows the log from there misses nothing.
WebResponse show_status(const Service& service, const WebRequest& request) {
  const auto session = service.open_session(request);
  const std::int64_t seq = session->mail().events().last_sequence();
  const TeamStatus status =
      look_at_team(session->mail().engine(), session->team(), session->board().view(), [](TaskId, const Error&) {});
  JsonText json;
  json.add_all_of(to_line(status));
  json.add("seq", seq);
  json.add("readOnly", service.options().read_only);
  return json_response(json.take());
}

std::vector<MemberStatus> members_of(const TeamSession& session) {
  return look_at_team(session.mail().engine(), session.team(), session.board().view(), [](TaskId, const Error&) {})
      .members;
}

WebResponse list_members(const Service& service, const WebRequest& request) {
  std::vector<std::string> members;
  for (const MemberStatus& one : members_of(*service.open_session(request))) members.push_back(to_line(one));
  return json_response(json_array(members));
}

WebResponse show_member(const Service& service, const WebRequest& request) {
  const auto session = service.open_session(request);
  const std::string& name = request.parameters.front();
  for (const MemberStatus& one : members_of(*session)) {
    if (one.name == name) return json_response(to_line(one));
  }
  session->mail().check_member(name, "member");
  fail(Code::not_found, "{} has no state", name);
}

WebResponse list_tasks(const Service& service, const WebRequest& request) {
  return json_response(task_list_json(service.open_session(request)->board().view(), request));
}

WebResponse show_task(const Service& service, const WebRequest& request) {
  const auto session = service.open_session(request);
  const TaskId id = task_in_path(request);
  const Board& board = session->board();
  return json_response(service.task_cache().get(session->team().name, id, board,
                                                [&] { return task_json(board.view(), board.view().get(id)); }));
}

WebResponse explain_task(const Service& service, const WebRequest& request) {
  const auto session = service.open_session(request);
  const BoardView& view = session->board().view();
  std::vector<std::string> reasons;
  const Task task = view.get(task_in_path(request));
  for (const Reason& reason : explain(task, &session->mail().engine(), &session->team(), view)) {
    reasons.push_back(to_line(reason));
  }
  return json_response(json_array(reasons));
}

WebResponse show_output(const Service& service, const WebRequest& request) {
  const auto session = service.open_session(request);
  const Task task = session->board().view().get(task_in_path(request));
  return json_response(task_output_json(session->mail().events(), task));
}

WebResponse list_messages(const Service& service, const WebRequest& request) {
  return json_response(message_list_json(service.open_session(request)->mail().events(), request));
}

WebResponse list_events(const Service& service, const WebRequest& request) {
  return json_response(event_list_json(service.open_session(request)->mail().events(), request));
}

WebResponse list_inbox(const Service& service, const WebRequest& request) {
  return json_response(inbox_json(*service.open_session(request)));
}

WebResponse list_requests(const Service& service, const WebRequest& request) {
  const auto session = service.open_session(request);
  const Requests& requests = session->mail().requests();
  const auto skip = [](const Error&) {};
  std::vector<std::string> lines;
  for (const Request& one : flag_in_query(request, "all") ? requests.all(skip) : requests.pending(skip)) {
    lines.push_back(to_line(one));
  }
  return json_response(json_array(lines));
}

WebResponse list_quotas(const Service& service, const WebRequest& request) {
  std::vector<std::string> pauses;
  for (const QuotaPause& one : pauses_in_force(service.open_session(request)->mail().engine())) {
    pauses.push_back(to_line(one));
  }
  return json_response(json_array(pauses));
}

WebResponse list_settings(const Service& service, const WebRequest& request) {
  const Team team = service.engine().get(service.team_of(request));
  std::vector<std::string> settings;
  for (const SettingRule& rule : setting_rules()) {
    JsonText json;
    json.add("key", rule.key);
    json.add("value", setting(team, rule.key));
    json.add("values", rule.values);
    settings.push_back(json.take());
  }
  return json_response(json_array(settings));
}

}  // namespace

std::vector<Route> read_routes() {
  constexpr auto kRead = Route::Kind::read;
  return {
      {"GET", "/api/server", kRead, show_server, Route::Place::loop},
      {"GET", "/api/teams", kRead, list_teams},
      {"GET", "/api/status", kRead, show_status},
      {"GET", "/api/members", kRead, list_members},
      {"GET", "/api/members/{name}", kRead, show_member},
      {"GET", "/api/tasks", kRead, list_tasks},
      {"GET", "/api/tasks/{id}", kRead, show_task, Route::Place::loop},
      {"GET", "/api/tasks/{id}/why", kRead, explain_task},
      {"GET", "/api/tasks/{id}/output", kRead, show_output},
      {"GET", "/api/messages", kRead, list_messages},
      {"GET", "/api/log", kRead, list_events},
      {"GET", "/api/inbox", kRead, list_inbox},
      {"GET", "/api/requests", kRead, list_requests},
      {"GET", "/api/quotas", kRead, list_quotas},
      {"GET", "/api/settings", kRead, list_settings},
  };
}

}  // namespace team
