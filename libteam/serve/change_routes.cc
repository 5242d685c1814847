#include "libteam/agent/life/shutdown.h"
#include "libteam/base/json_text.h"
#include "libteam/record/settings.h"
#include "libteam/serve/request_body.h"
#include "libteam/serve/router.h"
#include "libteam/serve/task_json.h"

namespace team {

namespace {

Service::Session session_of(const Service& service, const WebRequest& request, const RequestBody& body) {
  return service.open_session(service.team_of(request), body.as());
}

WebResponse create_task(const Service& service, const WebRequest& request) {
  const RequestBody body(request, {"subject", "description", "activeForm", "owner", "role", "deliverable", "priority",
                                   "blockedBy", "metadata"});
  const auto session = session_of(service, request, body);
  const TaskCreation creation = session->tasks().create({parse_draft(body.line(), "body")});
  if (!creation.trouble.empty()) fail(Code::unknown, "{}", creation.trouble);
  const BoardView& view = session->board().view();
  return json_response(task_json(view, view.get(creation.ids.front())), 201);
}

WebResponse update_task(const Service& service, const WebRequest& request) {
  const RequestBody body(
      request, {"subject", "description", "activeForm", "status", "owner", "role", "deliverable", "priority", "result",
                "reason", "addBlockedBy", "removeBlockedBy", "metadata", "ifRev"});
  const TaskChange change = read_task_change(body);
  const auto session = session_of(service, request, body);
  return changed_task(session->board().view(), session->tasks().update(task_in_path(request), change));
}

// A change of status by name. `text` is the key of its text.
Handler move_task(Status status, const char* key, std::optional<std::string> TaskChange::*text) {
  return [=](const Service& service, const WebRequest& request) {
    const RequestBody body(request, {key, "ifRev"});
    TaskChange change;
    change.status = status;
    change.*text = body.text(key);
    change.if_rev = body.integer("ifRev", 1, INT64_MAX);
    const auto session = session_of(service, request, body);
    return changed_task(session->board().view(), session->tasks().update(task_in_path(request), change));
  };
}

WebResponse claim_task(const Service& service, const WebRequest& request) {
  const RequestBody body(request, {"ifRev"});
  TaskChange change;
  change.status = Status::in_progress;
  change.if_rev = body.integer("ifRev", 1, INT64_MAX);
  const auto session = session_of(service, request, body);
  return changed_task(session->board().view(), session->tasks().update(task_in_path(request), change));
}

WebResponse claim_next_task(const Service& service, const WebRequest& request) {
  const RequestBody body(request, {});
  const auto session = session_of(service, request, body);
  const auto claimed = session->claim_next();
  if (!claimed) fail(Code::no, "nothing is ready");
  return changed_task(session->board().view(), {*claimed, ""});
}

WebResponse delete_task(const Service& service, const WebRequest& request) {
  const std::int64_t rev = number_in_query(request, "ifRev", 0);
  const auto session = service.open_session(service.team_of(request), request.find_query("as"));
  session->remove(task_in_path(request), rev > 0 ? std::optional(rev) : std::nullopt);
  WebResponse response;
  response.status = 204;
  return response;
}

// The message that a body describes.
OutgoingMessage compose_message(const RequestBody& body, std::string to) {
  OutgoingMessage outgoing;
  outgoing.type = to.empty() ? "broadcast" : "message";
  outgoing.to = std::move(to);
  outgoing.content = body.needed_text("content");
  outgoing.summary = body.text("summary");
  outgoing.reply_to = body.text("reply_to");
  outgoing.interrupt = body.boolean("interrupt").value_or(false);
  return outgoing;
}

// Acknowledges a message of the actor; false if it does not wait.
bool acknowledge(const TeamSession& session, const std::string& id) {
  MessageFilter filter;
  filter.id = id;
  const auto deliver = [](const std::vector<Message>&) { return true; };
  const auto received = session.messages().receive(filter, 1, Taking::acknowledge, deliver);
  return received && received->count > 0;
}

WebResponse send_message(const Service& service, const WebRequest& request) {
  const RequestBody body(request, {"to", "content", "summary", "reply_to", "interrupt"});
  const auto session = session_of(service, request, body);
  const SentMessages sent = session->messages().send(compose_message(body, body.text("to").value_or("")));
  std::vector<std::string> messages;
  for (const Message& message : sent.messages) messages.push_back(to_line(message));
  return json_response(json_array(messages), 201);
}

// A reply also acknowledges the message that it answers, if that still waits.
WebResponse write_to_member(const Service& service, const WebRequest& request) {
  const RequestBody body(request, {"content", "summary", "reply_to", "interrupt"});
  const auto session = session_of(service, request, body);
  const SentMessages sent = session->messages().send(compose_message(body, request.parameters.front()));
  if (const auto answered = body.text("reply_to")) acknowledge(*session, *answered);
  return json_response(to_line(sent.messages.front()), 201);
}

WebResponse interrupt_member(const Service& service, const WebRequest& request) {
  const RequestBody body(request, {"content"});
  OutgoingMessage outgoing;
  outgoing.to = request.parameters.front();
  outgoing.content = body.text("content").value_or("Stop what you do and wait.");
  outgoing.interrupt = true;
  const auto session = session_of(service, request, body);
  return json_response(to_line(session->messages().send(outgoing).messages.front()), 201);
}

WebResponse acknowledge_message(const Service& service, const WebRequest& request) {
  const RequestBody body(request, {});
  const auto session = session_of(service, request, body);
  const std::string& id = request.parameters.front();
  if (!acknowledge(*session, id)) fail(Code::not_found, "no message '{}' waits for {}", id, session->self().name);
  JsonText json;
  json.add("id", id);
  return json_response(json.take());
}

WebResponse stop_member(const Service& service, const WebRequest& request) {
  constexpr double kMost = 8;
  constexpr double kUsual = 5;
  const RequestBody body(request, {"timeout", "force"});
  const double timeout = body.number("timeout").value_or(kUsual);
  if (timeout < 0 || timeout > kMost) fail(Code::usage, "body: 'timeout' must be a number from 0 to {}", kMost);
  const auto insist = body.boolean("force").value_or(false) ? Insist::yes : Insist::no;
  const auto session = session_of(service, request, body);
  const Stopped stopped = stop_teammates(*session, {request.parameters.front()}, timeout, insist).front();
  JsonText json;
  json.add("name", stopped.name);
  json.add("end", name_of(stopped.kind));
  json.add("reason", stopped.reason);
  const int status = stopped.kind == Stopped::Kind::silent ? 202 : stopped.kind == Stopped::Kind::refused ? 409 : 200;
  return json_response(json.take(), status);
}

WebResponse answer_request(const Service& service, const WebRequest& request) {
  const RequestBody body(request, {"approve", "feedback"});
  const auto approve = body.boolean("approve");
  if (!approve) fail(Code::usage, "body: the key 'approve' is missing");
  const auto session = session_of(service, request, body);
  const std::string& id = request.parameters.front();
  const RequestKind kind = session->mail().requests().get(id).kind;
  return json_response(to_line(session->messages().answer(kind, id, *approve, body.text("feedback"))));
}

WebResponse end_quota(const Service& service, const WebRequest& request) {
  const RequestBody body(request, {"quota"});
  const std::string quota = body.needed_text("quota");
  const auto session = session_of(service, request, body);
  session->quotas().end(quota);
  JsonText json;
  json.add("quota", quota);
  return json_response(json.take());
}

WebResponse change_setting(const Service& service, const WebRequest& request) {
  const RequestBody body(request, {"key", "value"});
  const std::string key = body.needed_text("key");
  if (!body.has("value")) fail(Code::usage, "body: the key 'value' is missing");
  const auto value = body.value("value");
  const auto session = session_of(service, request, body);
  session->set(key, value);
  session->refresh();
  JsonText json;
  json.add("key", key);
  json.add("value", setting(session->team(), key));
  return json_response(json.take());
}

}  // namespace

std::vector<Route> change_routes() {
  constexpr auto kChange = Route::Kind::change;
  const auto complete = move_task(Status::completed, "result", &TaskChange::result);
  const auto give_up = move_task(Status::failed, "reason", &TaskChange::reason);
  const auto give_back = move_task(Status::pending, "reason", &TaskChange::reason);
  return {
      {"POST", "/api/tasks", kChange, create_task},
      {"POST", "/api/tasks/claim", kChange, claim_next_task},
      {"PATCH", "/api/tasks/{id}", kChange, update_task},
      {"DELETE", "/api/tasks/{id}", kChange, delete_task},
      {"POST", "/api/tasks/{id}/claim", kChange, claim_task},
      {"POST", "/api/tasks/{id}/complete", kChange, complete},
      {"POST", "/api/tasks/{id}/fail", kChange, give_up},
      {"POST", "/api/tasks/{id}/release", kChange, give_back},
      {"POST", "/api/tasks/{id}/reopen", kChange, give_back},
      {"POST", "/api/messages", kChange, send_message},
      {"POST", "/api/messages/{id}/ack", kChange, acknowledge_message},
      {"POST", "/api/members/{name}/message", kChange, write_to_member},
      {"POST", "/api/members/{name}/interrupt", kChange, interrupt_member},
      {"POST", "/api/members/{name}/stop", kChange, stop_member},
      {"POST", "/api/requests/{id}", kChange, answer_request},
      {"POST", "/api/quotas/end", kChange, end_quota},
      {"POST", "/api/settings", kChange, change_setting},
  };
}

}  // namespace team
