#include "libteam/store/mail_operations.h"

#include <cstdint>

#include "libteam/base/error.h"
#include "libteam/base/text.h"

namespace team {

namespace {

constexpr double kHoldSeconds = 600;

bool deliver_or_release(Batch& batch, Taking taking, const MailOperations::Deliver& deliver) {
  const auto release = [&] {
    if (taking == Taking::hold) batch.release();
  };
  try {
    if (deliver(batch.messages())) return true;
  } catch (...) {
    release();
    throw;
  }
  release();
  return false;
}

}  // namespace

std::vector<Event> message_events(const char* type, const std::vector<Message>& messages) {
  std::vector<Event> events;
  for (const Message& message : messages) events.push_back(message_event(type, message));
  return events;
}

// The messages are sent: a system that refuses this question does not make a failure of that.
bool MailOperations::is_absent(const std::string& member) const {
  try {
    return member != "user" && mail_.engine().lives().life_of(member) == Life::dead;
  } catch (const Error&) {
    return false;
  }
}

SentMessages MailOperations::send(const OutgoingMessage& outgoing) const {
  SentMessages sent{mail_.send(outgoing, actor_), {}, {}};
  if (outgoing.to.empty()) {
    sent.refused = mail_.all_but(actor_.name);
    for (const Message& message : sent.messages) std::erase(sent.refused, message.recipient);
  }
  for (const Message& message : sent.messages) {
    if (is_absent(message.recipient)) sent.absent.push_back(message.recipient);
  }
  return sent;
}

void MailOperations::answer_automatically(const Message& message, const std::string& text) const {
  OutgoingMessage outgoing;
  outgoing.automatic = true;
  outgoing.to = message.sender;
  outgoing.content = text;
  outgoing.reply_to = message.id;
  mail_.send(outgoing, actor_);
}

std::string MailOperations::ask_to_shut_down(const std::string& member) const {
  OutgoingMessage outgoing;
  outgoing.type = "shutdown_request";
  outgoing.to = member;
  outgoing.content = fmt::format("{} asks you to shut down", actor_.name);
  return *mail_.send(outgoing, actor_).front().request_id;
}

std::string MailOperations::submit_plan(OutgoingMessage outgoing) const {
  if (is_blank(outgoing.content) && !outgoing.more) team::fail(Code::usage, "the plan is empty");
  outgoing.type = "plan_approval_request";
  return *mail_.send(outgoing, actor_).front().request_id;
}

std::string MailOperations::ask_for_permission(OutgoingMessage outgoing) const {
  outgoing.type = "permission_request";
  return *mail_.send(outgoing, actor_).front().request_id;
}

Message MailOperations::approve_or_reject(const std::string& request_id, bool approve,
                                          const std::optional<std::string>& feedback) const {
  const RequestKind kind = mail_.requests().get(request_id).kind;
  return answer(is_for_approval(kind) ? kind : RequestKind::plan, request_id, approve, feedback);
}

Message MailOperations::answer(RequestKind kind, const std::string& request_id, bool approve,
                               const std::optional<std::string>& feedback) const {
  const Request request = mail_.requests().get(request_id);
  OutgoingMessage outgoing;
  outgoing.type = kind == RequestKind::plan         ? "plan_approval_response"
                  : kind == RequestKind::permission ? "permission_response"
                                                    : "shutdown_response";
  outgoing.to = request.from;
  outgoing.request_id = request.id;
  outgoing.approve = approve;
  outgoing.feedback = feedback;
  return mail_.send(outgoing, actor_).front();
}

std::optional<Received> MailOperations::receive(const MessageFilter& filter, std::size_t most, Taking taking,
                                                const Deliver& deliver) const {
  auto batch = mail_.mailbox(actor_.name).take(filter, most, actor_.run);
  if (!batch) return std::nullopt;
  if (taking == Taking::hold) batch->hold(kHoldSeconds, actor_.run);
  // If the reader left or the disk is full, the messages stay and are delivered again.
  if (!deliver_or_release(*batch, taking, deliver)) return Received{};
  const Received received{batch->messages().size(), !batch->is_all()};
  std::vector<Event> events = message_events("MESSAGE_DELIVERED", batch->messages());
  if (taking == Taking::acknowledge) {
    for (Event& event : message_events("MESSAGE_PROCESSED", batch->messages())) events.push_back(std::move(event));
    batch->acknowledge();
  }
  batch.reset();  // a hook that is told of it finds nothing locked
  mail_.record(actor_, events);
  return received;
}

std::size_t MailOperations::unread() const {
  std::size_t count = 0;
  mail_.mailbox(actor_.name).peek({}, SIZE_MAX, std::nullopt, [&](const Message&) { ++count; });
  return count;
}

void MailOperations::acknowledge(const std::vector<std::string>& ids) const {
  mail_.record(actor_, message_events("MESSAGE_PROCESSED", mail_.mailbox(actor_.name).acknowledge(ids)));
}

}  // namespace team
