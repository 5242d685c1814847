// Whole operations on mail: each includes the message, the stored request and the events.
//
// Commands, teammates, the screen and the tools of models send, receive and answer by these functions. A function that
// throws unknown may have had its effect; any other error means that nothing was sent, or that nothing was received.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "libteam/store/mail.h"

namespace team {

struct SentMessages {
  std::vector<Message> messages;     // one for each recipient
  std::vector<std::string> absent;   // recipients that ran once and do not run now: their messages wait
  std::vector<std::string> refused;  // of a broadcast: members at the exchange limit with the sender, who get nothing
};

enum class Taking { acknowledge, hold };

struct Received {
  std::size_t count = 0;
  bool more = true;  // false: nothing else was waiting
};

class MailOperations {
 public:
  // Both outlive this.
  MailOperations(const Mail& mail, const Actor& actor) : mail_(mail), actor_(actor) {}

  // Throws as Mail::send() does.
  SentMessages send(const OutgoingMessage& outgoing) const;

  // Sends a text to the sender of a message, as the automatic answer to it. Throws as Mail::send() does.
  void answer_automatically(const Message& message, const std::string& text) const;

  // Asks a member to shut down; returns the id of the request.
  std::string ask_to_shut_down(const std::string& member) const;
  // Puts a plan to `outgoing.to`; returns the id of the request. The type is set here. Throws usage for an empty plan.
  std::string submit_plan(OutgoingMessage outgoing) const;
  // The same for a permission.
  std::string ask_for_permission(OutgoingMessage outgoing) const;
  // Answers a request of this kind, to the member that asked; returns the message. Throws as Requests::answer() does.
  Message answer(RequestKind kind, const std::string& request_id, bool approve,
                 const std::optional<std::string>& feedback) const;
  // The same for a plan or a permission, whichever it is.
  Message approve_or_reject(const std::string& request_id, bool approve,
                            const std::optional<std::string>& feedback) const;

  // Takes messages of the actor, hands them to `deliver`, and then acknowledges them; none if none matches. With
  // Taking::hold the messages are held for ten minutes, until acknowledge() names them. If `deliver` throws or returns
  // false, the messages have not reached their reader and are delivered again: the count is 0.
  using Deliver = std::function<bool(const std::vector<Message>&)>;
  std::optional<Received> receive(const MessageFilter& filter, std::size_t most, Taking taking,
                                  const Deliver& deliver) const;
  // The number of messages that wait for the actor.
  std::size_t unread() const;
  // Acknowledges held messages; all of `ids` or none. Throws not_found.
  void acknowledge(const std::vector<std::string>& ids) const;

 private:
  bool is_absent(const std::string& member) const;

  const Mail& mail_;
  const Actor& actor_;
};

// An event of this type for each message: MESSAGE_DELIVERED, MESSAGE_PROCESSED.
std::vector<Event> message_events(const char* type, const std::vector<Message>& messages);

}  // namespace team
