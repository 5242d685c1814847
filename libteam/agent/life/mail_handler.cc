#include "libteam/agent/life/mail_handler.h"

#include <algorithm>
#include <set>

#include "libteam/base/markup.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"
#include "libteam/system/id.h"

namespace team {

namespace {

constexpr std::size_t kMostText = std::size_t{1} << 20;  // of one large message

}  // namespace

bool may_pass(const Error& error) {
  return error.code() == Code::io || error.code() == Code::again || error.code() == Code::corrupt;
}

MailHandler::MailHandler(TeamSession& session, const Habits& habits, std::function<void(const std::string&)> note)
    : session_(session), habits_(habits), note_(std::move(note)) {}

void MailHandler::read_body(Message& message) const {
  const Mailbox& mailbox = session_.mailbox();
  if (message.body_size == 0 || !mailbox.has_body(message)) return;
  message.content.clear();
  mailbox.each_body_piece(message, [&](std::string_view piece) {
    message.content += piece.substr(0, kMostText - std::min(kMostText, message.content.size()));
  });
  message.content = repair_utf8(message.content);
}

std::vector<Message> MailHandler::select(const Batch& batch) const {
  std::vector<Message> messages;
  for (const Message& message : batch.messages()) {
    const bool wakes = message.type == "task_assigned" || message.type == "task_unblocked";
    // A driver that keeps a conversation submits plans by itself and needs their answers.
    const bool is_answer = message.type == "plan_approval_response" && (habits_.plans || !habits_.converses);
    // The agent that asked gets the answer to its question; see PermissionDesk.
    const bool is_permission = message.type == "permission_response";
    if (message.type == "shutdown_request" || is_answer || is_permission || (wakes && habits_.claims)) continue;
    messages.push_back(message);
    read_body(messages.back());
    note_(fmt::format("{} from {}: {}", message.type, one_line(message.sender), one_line(message.summary)));
  }
  return messages;
}

std::optional<std::string> MailHandler::agree_to_end(const Message& message) const {
  if (message.type != "shutdown_request" || !message.request_id || !is_id(*message.request_id)) return std::nullopt;
  return agree(*message.request_id, message_event("SHUTDOWN_REQUESTED", message), Freedom::may_refuse);
}

std::optional<std::string> MailHandler::agree(const std::string& request_id, const Event& event,
                                              Freedom freedom) const {
  try {
    const Request request = session_.mail().requests().get(request_id);
    const bool asked = request.kind == RequestKind::shutdown && request.status == RequestStatus::pending &&
                       request.to == session_.self().name;
    if (!asked) return std::nullopt;
    std::optional<std::string> objection;
    if (freedom == Freedom::may_refuse) {
      objection = session_.mail().objection("teammate-shutdown", session_.self(), event);
    }
    session_.messages().answer(RequestKind::shutdown, request.id, !objection, objection);
    return objection ? std::nullopt : std::optional(request.from);
  } catch (const Error& error) {
    if (may_pass(error)) throw;
    note_(error.what());
    return std::nullopt;
  }
}

void MailHandler::agree_with_all() const {
  for (const Request& request : session_.mail().requests().pending([](const Error&) {})) {
    if (request.kind != RequestKind::shutdown || request.to != session_.self().name) continue;
    agree(request.id, make_event("SHUTDOWN_REQUESTED", {}), Freedom::ends_anyway);
  }
}

std::optional<std::string> MailHandler::reply(const std::vector<Message>& messages, const Outcome& outcome) const {
  std::optional<std::string> paused;
  if (is_blank(outcome.result)) return paused;
  std::set<std::string> answered;
  for (auto message = messages.rbegin(); message != messages.rend(); ++message) {
    if (message->type != "message" || message->sender == "system" || message->sender == session_.self().name) continue;
    if (message->automatic) continue;  // or two members would answer each other without end
    if (outcome.answers && !outcome.answers->contains(message->sender)) continue;
    if (message->sender == "user" && habits_.user_listens) continue;
    if (!answered.insert(message->sender).second) continue;
    try {
      session_.messages().answer_automatically(*message, outcome.result);
    } catch (const Error& error) {
      if (error.code() == Code::io || error.code() == Code::again) throw;
      note_(error.what());
      if (error.code() == Code::paused) paused = error.what();
    }
  }
  return paused;
}

void MailHandler::report(const std::string& text) const {
  const TeamSession& session = session_;
  const Member* self = session.team().find(session.self().name);
  if (is_blank(text) || session.self().name == session.team().lead || (self != nullptr && self->helper)) return;
  OutgoingMessage outgoing;
  outgoing.to = session.team().lead;
  outgoing.content = text;
  outgoing.automatic = true;
  try {
    session.messages().send(outgoing);
  } catch (const Error& error) {
    if (error.code() == Code::io || error.code() == Code::again) throw;
    note_(error.what());
  }
}

void MailHandler::regret(const std::vector<Message>& messages, const std::string& reason) const {
  for (const Message& message : messages) {
    if (message.sender == "system" || message.automatic) continue;
    session_.mail().notify(message.sender, "error",
                           fmt::format("[System] {} could not work on {}: {}", session_.self().name,
                                       quoted(message.summary), one_line(reason)));
  }
}

}  // namespace team
