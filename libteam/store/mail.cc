#include "libteam/store/mail.h"

#include <algorithm>

#include "libteam/base/error.h"
#include "libteam/base/spelling.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"
#include "libteam/record/actor.h"
#include "libteam/record/event.h"
#include "libteam/store/exchange_limit.h"
#include "libteam/system/file.h"
#include "libteam/system/id.h"

namespace team {

namespace {

std::optional<RequestKind> kind_of_request(std::string_view type) {
  if (type == "shutdown_request") return RequestKind::shutdown;
  if (type == "plan_approval_request") return RequestKind::plan;
  if (type == "permission_request") return RequestKind::permission;
  return std::nullopt;
}

std::optional<RequestKind> kind_of_response(std::string_view type) {
  if (type == "shutdown_response") return RequestKind::shutdown;
  if (type == "plan_approval_response") return RequestKind::plan;
  if (type == "permission_response") return RequestKind::permission;
  return std::nullopt;
}

// The beginning of the types of its events.
std::string_view event_prefix_of(RequestKind kind) {
  switch (kind) {
    case RequestKind::shutdown: return "SHUTDOWN_";
    case RequestKind::plan: return "PLAN_";
    case RequestKind::permission: return "PERMISSION_";
  }
  return "PLAN_";
}

std::string describe_answer(const OutgoingMessage& outgoing) {
  const std::string word = *outgoing.approve ? "approved" : "rejected";
  return outgoing.feedback && !outgoing.feedback->empty() ? fmt::format("{}: {}", word, *outgoing.feedback) : word;
}

std::vector<std::string> ids_of(const std::vector<Message>& messages, std::size_t first) {
  std::vector<std::string> ids;
  for (std::size_t i = first; i < messages.size(); ++i) ids.push_back(messages[i].id);
  return ids;
}

}  // namespace

Mail::Mail(std::shared_ptr<const TeamEngine> engine, const Team& team)
    : engine_(std::move(engine)), team_(team), requests_(*engine_) {}

void Mail::check_member(const std::string& name, std::string_view what) const {
  if (name == "user" || team_.find(name) != nullptr) return;
  std::vector<std::string> known = {"user"};
  for (const Member& member : team_.members) known.push_back(member.name);
  const std::string hint = did_you_mean(name, known);
  fail(Code::not_found, "no {} '{}' in team {}{}", what, one_line(name), team_.name,
       hint.empty() ? "; there is " + join(known, ", ") : hint);
}

const Mailbox& Mail::mailbox(const std::string& owner) const {
  check_member(owner, "member");
  return engine_->mailbox(owner);
}

EventOrigin Mail::origin(const Actor& actor) const { return {team_.name, actor.name, role_name_of(actor), actor.run}; }

void Mail::record(const Actor& actor, const std::vector<Event>& events) const {
  const Logged logged = engine_->events().record(origin(actor), events);
  after_change([&] {
    if (engine_->hooks().any()) engine_->hooks().tell(origin(actor), events, logged);
  });
}

// A hook may refuse a plan before any part of it is stored.
void Mail::ask_about_plan(const OutgoingMessage& outgoing, const std::vector<Message>& messages,
                          const Actor& actor) const {
  if (outgoing.type != "plan_approval_request") return;
  const std::string text =
      repair_utf8(std::string_view(outgoing.content).substr(0, whole_characters(outgoing.content)));
  for (const Message& message : messages) {
    engine_->hooks().ask("plan-submitted", origin(actor),
                         with_text(message_event("PLAN_SUBMITTED", message), text, outgoing.task));
  }
}

std::vector<std::string> Mail::all_but(const std::string& name) const {
  std::vector<std::string> names;
  for (const Member& member : team_.members) {
    if (member.name != name) names.push_back(member.name);
  }
  return names;
}

std::vector<std::string> Mail::recipients(const OutgoingMessage& outgoing, const Actor& actor) const {
  if (!outgoing.to.empty()) {
    const std::string to = outgoing.to == "lead" ? team_.lead : outgoing.to;
    check_member(to, "member");
    return {to};
  }
  return all_but(actor.name);
}

Message Mail::make_message(const OutgoingMessage& outgoing, const Actor& actor, const std::string& recipient) const {
  Message message;
  message.id = new_id();
  message.type = outgoing.type;
  message.sender = actor.name;
  message.recipient = recipient;
  message.content = outgoing.content;
  message.summary = outgoing.summary ? cut_characters(one_line(*outgoing.summary), 80) : summarize(outgoing.content);
  message.timestamp = now();
  message.request_id = outgoing.request_id;
  message.reply_to = outgoing.reply_to;
  message.approve = outgoing.approve;
  message.feedback = outgoing.feedback;
  message.interrupt = outgoing.interrupt;
  message.automatic = outgoing.automatic;
  message.task = outgoing.task;
  return message;
}

// The record of a request comes before its message.
void Mail::open_request(const OutgoingMessage& outgoing, Message& message, const Actor& actor) const {
  const auto kind = kind_of_request(outgoing.type);
  if (!kind) return;
  if (*kind == RequestKind::shutdown && !actor.leads) {
    fail(Code::permission_denied, "only the lead or the user may ask for a shutdown");
  }
  if (is_for_approval(*kind) && message.recipient != team_.lead && message.recipient != "user") {
    fail(Code::usage, "a {} is put to the lead, {}", name_of(*kind), team_.lead);
  }
  if (!message.request_id) message.request_id = message.id;
  if (!is_id(*message.request_id)) fail(Code::usage, "'{}' is not an id", one_line(*message.request_id));
  Request request;
  request.id = *message.request_id;
  request.kind = *kind;
  request.from = actor.name;
  request.to = message.recipient;
  request.content = repair_utf8(std::string_view(outgoing.content).substr(0, whole_characters(outgoing.content)));
  request.task = outgoing.task;
  request.created_at = message.timestamp;
  requests_.open(request);
}

void Mail::answer_request(const OutgoingMessage& outgoing, Message& message, const Actor& actor) const {
  if (!outgoing.request_id) fail(Code::usage, "an answer needs the id of its request");
  if (!outgoing.approve) fail(Code::usage, "an answer approves or rejects");
  const Request request = requests_.get(*outgoing.request_id);
  if (message.recipient != request.from) {
    fail(Code::invalid_state, "request {} is from {}, not from {}", request.id, request.from, message.recipient);
  }
  if (message.content.empty()) {
    message.content = describe_answer(outgoing);
    message.summary = summarize(message.content);
  }
  const Answer answer{request.id, *kind_of_response(outgoing.type), *outgoing.approve, outgoing.feedback};
  requests_.answer(answer, actor, message.id, [&](const std::string& id) {
    const bool goes_on = message.id != id;  // where somebody died, maybe after it was sent
    message.id = id;
    const Mailbox& recipient = mailbox(message.recipient);
    if (!goes_on || !has_arrived(recipient, id)) recipient.append({message});
  });
}

// True if a message is in the mailbox or was taken from it: its sender may have died before it recorded that.
bool Mail::has_arrived(const Mailbox& mailbox, const std::string& message_id) const {
  if (mailbox.state_of(message_id) != MessageState::gone) return true;
  bool taken = false;
  engine_->events().each_backward([&](std::string_view line) {
    if (line.find(message_id) == std::string_view::npos) return true;
    const Envelope envelope = parse_envelope(line, engine_->events().place());
    taken = envelope.type == "MESSAGE_DELIVERED" && detail(envelope, "message_id") == message_id;
    return !taken;
  });
  return taken;
}

// Delivers one message, with the record that belongs to it.
void Mail::deliver(const OutgoingMessage& outgoing, Message& message, const Actor& actor) const {
  if (kind_of_response(outgoing.type)) {
    answer_request(outgoing, message, actor);
    return;
  }
  open_request(outgoing, message, actor);
  try {
    mailbox(message.recipient).append({message});
  } catch (const Error& error) {
    const bool may_be_there = error.code() == Code::unknown;
    if (kind_of_request(outgoing.type) && !may_be_there) {
      after_change([&] { requests_.withdraw(*message.request_id); });
    }
    throw;
  }
}

std::vector<Event> Mail::events_of(const Message& message) const {
  std::vector<Event> events = {message_event("MESSAGE_SENT", message)};
  if (const auto kind = kind_of_request(message.type)) {
    const std::string word = *kind == RequestKind::plan ? "SUBMITTED" : "REQUESTED";
    events.push_back(message_event(std::string(event_prefix_of(*kind)) + word, message));
  }
  if (const auto kind = kind_of_response(message.type)) {
    const std::string word = message.approve.value_or(false) ? "APPROVED" : "REJECTED";
    events.push_back(message_event(std::string(event_prefix_of(*kind)) + word, message));
  }
  return events;
}

// Stores the content as valid UTF-8 without a final newline, and cuts the messages to its beginning.
std::unique_ptr<BodyWriter> Mail::store_body(const OutgoingMessage& outgoing, std::vector<Message>& messages) const {
  std::unique_ptr<BodyWriter> body = engine_->write_body();
  std::int64_t size = 0;
  const auto append = [&](const std::string& text) {
    body->append(text);
    size += static_cast<std::int64_t>(text.size());
  };
  const std::vector<std::string> ids = ids_of(messages, 0);
  try {
    std::string rest;  // a character that was cut, or a newline that may be the last
    std::string piece = outgoing.content;
    do {
      const std::string text = rest + piece;
      std::size_t whole = whole_characters(text);
      if (whole == text.size() && text.ends_with('\n')) --whole;
      rest = text.substr(whole);
      append(repair_utf8(std::string_view(text).substr(0, whole)));
    } while (outgoing.more(piece));
    append(rest == "\n" ? std::string() : repair_utf8(rest));
    body->publish(ids);
  } catch (const Error&) {
    body->discard(ids);
    throw;
  }
  for (Message& message : messages) {
    constexpr std::size_t kBeginning = 200;
    message.body_size = size;
    message.content = cut_characters(message.content.substr(0, 4 * kBeginning), kBeginning);
  }
  return body;
}

std::vector<Message> Mail::send(const OutgoingMessage& outgoing, const Actor& actor) const {
  if (!is_message_type(outgoing.type)) fail(Code::usage, "'{}' is not a type of message", one_line(outgoing.type));
  if (!is_sendable(outgoing.type)) fail(Code::permission_denied, "only system says {}", outgoing.type);
  if (outgoing.content.empty() && !may_be_empty(outgoing.type)) fail(Code::usage, "the message is empty");
  check_member(actor.name, "sender");
  std::vector<Message> messages;
  for (const std::string& recipient : recipients(outgoing, actor))
    messages.push_back(make_message(outgoing, actor, recipient));
  const bool hooked = engine_->hooks().any();
  if (hooked) ask_about_plan(outgoing, messages, actor);
  ExchangeLimit limit(
      *engine_, team_, [&](const std::string& text) { return put_notice("user", "error", text); },
      [&](const Event& event) { record(actor, {event}); });
  limit.count(messages, actor);
  std::unique_ptr<BodyWriter> body;
  if (outgoing.more) body = store_body(outgoing, messages);
  std::vector<Event> events;
  std::size_t sent = 0;
  for (Message& message : messages) {
    try {
      deliver(outgoing, message, actor);
    } catch (const Error& error) {
      const std::size_t kept = error.code() == Code::unknown ? sent + 1 : sent;  // that one may be there
      if (body) body->discard(ids_of(messages, kept));
      try {
        for (std::size_t i = kept; i < messages.size(); ++i) limit.take_back(messages[i]);
      } catch (const Error&) {
        // The caller hears of the failed message. A count that is too high ends when the user writes.
      }
      // Some recipients have their message already.
      if (sent == 0) throw;
      fail(Code::unknown, "sent to {} of {}: {}", sent, messages.size(), error.what());
    }
    ++sent;
    for (Event& event : events_of(message)) events.push_back(std::move(event));
  }
  const Logged logged = engine_->events().record(origin(actor), events);
  if (hooked) engine_->hooks().tell(origin(actor), events, logged);
  return messages;
}

void Mail::notify(const std::string& recipient, const std::string& type, const std::string& content) const {
  put_notice(recipient, type, content)();
}

std::function<void()> Mail::put_notice(const std::string& recipient, const std::string& type,
                                       const std::string& content) const {
  if (recipient != "user" && team_.find(recipient) == nullptr) return [] {};
  Actor system;
  system.name = "system";
  OutgoingMessage outgoing;
  outgoing.type = type;
  outgoing.content = content;
  const Message message = make_message(outgoing, system, recipient);
  mailbox(recipient).append({message});
  return [this, system, message] { record(system, {message_event("MESSAGE_SENT", message)}); };
}

std::optional<std::string> Mail::objection(const std::string& hook, const Actor& actor, const Event& event) const {
  const Hooks& hooks = engine_->hooks();
  return hooks.any() ? hooks.refusal(hook, origin(actor), event) : std::nullopt;
}

std::string Mail::state_of(const std::string& message_id) const {
  std::string recipient;
  engine_->events().each_backward([&](std::string_view line) {
    if (line.find(message_id) == std::string_view::npos) return true;
    const Envelope envelope = parse_envelope(line, engine_->events().place());
    if (envelope.type != "MESSAGE_SENT" || detail(envelope, "message_id") != message_id) return true;
    recipient = detail(envelope, "recipient");
    return false;
  });
  if (recipient.empty()) fail(Code::not_found, "no message '{}' was sent", one_line(message_id));
  switch (engine_->mailbox(recipient).state_of(message_id)) {
    case MessageState::pending: return "pending";
    case MessageState::delivered: return "delivered";
    case MessageState::gone: return "processed";
  }
  return "processed";
}

}  // namespace team
