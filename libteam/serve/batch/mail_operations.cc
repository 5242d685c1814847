#include "libteam/store/mail_operations.h"
#include "libteam/base/json_text.h"
#include "libteam/record/request.h"
#include "libteam/serve/batch/operation.h"

namespace team {

namespace {

OutgoingMessage compose(const RequestBody& request) {
  OutgoingMessage outgoing;
  const auto to = request.text("to");
  outgoing.to = to.value_or("");
  outgoing.type = request.text("type").value_or(to ? "message" : "broadcast");
  outgoing.content = request.text("content").value_or("");
  outgoing.summary = request.text("summary");
  outgoing.reply_to = request.text("reply_to");
  outgoing.request_id = request.text("request_id");
  outgoing.approve = request.boolean("approve");
  outgoing.feedback = request.text("feedback");
  outgoing.interrupt = request.boolean("interrupt").value_or(false);
  const bool is_broadcast = outgoing.type == "broadcast";
  if (to && (is_broadcast || to->empty())) request.refuse("to", is_broadcast ? "absent from a broadcast" : "a member");
  if (!to && !is_broadcast) fail(Code::usage, "request: the key 'to' is missing");
  const bool speaks_for_itself = outgoing.type.ends_with("_response") || outgoing.type == "shutdown_request";
  if (outgoing.content.empty() && !speaks_for_itself) fail(Code::usage, "request: the message is empty");
  return outgoing;
}

std::string send(BatchCall& call) {
  const OutgoingMessage outgoing = compose(call.request());
  const SentMessages sent = call.session().messages().send(outgoing);
  call.made();
  std::vector<std::string> ids;
  for (const Message& message : sent.messages) ids.push_back(message.id);
  JsonText json;
  json.add_json("messages", json_array_of_texts(ids));
  json.add_json("absent", json_array_of_texts(sent.absent));
  return json.take();
}

// With the whole content.
std::string message_json(const Mailbox& mailbox, const Message& message) {
  if (message.body_size == 0 || !mailbox.has_body(message)) return to_line(message);
  const SplitLine line = to_split_line(message);
  std::string text = line.before;
  mailbox.each_body_piece(message, [&](std::string_view piece) { text += escape_json(piece); });
  return text + line.after;
}

MessageFilter filter_of(const RequestBody& request) {
  MessageFilter filter;
  filter.from = request.text("from");
  filter.type = request.text("type");
  filter.reply_to = request.text("reply_to");
  return filter;
}

bool has_message(const TeamSession& session, const MessageFilter& filter) {
  bool any = false;
  session.mailbox().peek(filter, 1, session.self().run, [&](const Message&) { any = true; });
  return any;
}

// Shows messages, and acknowledges them once they have reached their reader.
std::string receive(BatchCall& call) {
  constexpr std::int64_t kUsual = 100;
  constexpr std::int64_t kMost = 1000;
  const RequestBody& request = call.request();
  const MessageFilter filter = filter_of(request);
  const auto most = static_cast<std::size_t>(request.integer("max", 1, kMost).value_or(kUsual));
  const Taking taking = request.boolean("hold").value_or(false) ? Taking::hold : Taking::acknowledge;
  const auto seconds = request.number("wait");
  const TeamSession& session = call.session();
  if (seconds) session.mail().wait(Deadline::in(*seconds), [&] { return has_message(session, filter); });
  const auto deliver = [&](const std::vector<Message>& messages) {
    std::vector<std::string> lines;
    for (const Message& message : messages) lines.push_back(message_json(session.mailbox(), message));
    return call.deliver(json_array(lines));
  };
  const auto received = session.messages().receive(filter, most, taking, deliver);
  if (received && received->count > 0) call.made();
  return "[]";
}

std::string acknowledge(BatchCall& call) {
  const auto ids = call.request().texts("messages");
  if (ids.empty()) fail(Code::usage, "request: the key 'messages' is missing");
  call.session().messages().acknowledge(ids);
  call.made();
  return "{}";
}

std::string digest(BatchCall& call) { return json_array_of_texts(call.session().digest()); }

std::string submit_plan(BatchCall& call) {
  const RequestBody& request = call.request();
  const TeamSession& session = call.session();
  OutgoingMessage outgoing;
  outgoing.to = session.team().lead;
  outgoing.content = request.needed_text("content");
  outgoing.summary = request.text("summary");
  outgoing.task = request.task("task");
  if (outgoing.content.empty()) fail(Code::usage, "request: the plan is empty");
  if (outgoing.task) session.view().get(*outgoing.task);  // throws not_found
  JsonText json;
  json.add("request", session.messages().submit_plan(outgoing));
  call.made();
  return json.take();
}

std::string list_plans(BatchCall& call) {
  const Requests& requests = call.session().mail().requests();
  const auto skip = [](const Error&) {};
  std::vector<std::string> plans;
  const bool all = call.request().boolean("all").value_or(false);
  for (const Request& one : all ? requests.all(skip) : requests.pending(skip)) {
    if (is_for_approval(one.kind)) plans.push_back(to_line(one));
  }
  return json_array(plans);
}

std::string answer_plan(BatchCall& call, bool approve) {
  const RequestBody& request = call.request();
  const std::string id = request.needed_text("request");
  const auto feedback = request.text("feedback");
  JsonText json;
  json.add("message", call.session().messages().approve_or_reject(id, approve, feedback).id);
  call.made();
  return json.take();
}

std::string approve(BatchCall& call) { return answer_plan(call, true); }
std::string reject(BatchCall& call) { return answer_plan(call, false); }

}  // namespace

std::vector<BatchOperation> mail_batch_operations() {
  return {
      {"plan-approve", {"request", "feedback"}, approve},
      {"plan-list", {"all"}, list_plans},
      {"plan-reject", {"request", "feedback"}, reject},
      {"plan-submit", {"content", "summary", "task"}, submit_plan},
      {"team-ack", {"messages"}, acknowledge},
      {"team-digest", {}, digest},
      {"team-recv", {"max", "from", "type", "reply_to", "hold", "wait"}, receive},
      {"team-send",
       {"to", "content", "type", "summary", "reply_to", "request_id", "approve", "feedback", "interrupt"},
       send},
  };
}

}  // namespace team
