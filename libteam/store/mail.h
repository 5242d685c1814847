// The rules of sending messages.
//
// A message goes to a member or to the user, and only a member or the user sends one; `system` speaks through notify().
// A request is stored before its message is sent. So is an answer. Rounds between two agents are counted, and limited
// (exchange_limit.h).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libteam/record/message.h"
#include "libteam/record/team.h"
#include "libteam/store/requests.h"
#include "libteam/store/team_engine.h"

namespace team {

struct OutgoingMessage {
  std::string type = "message";
  std::string to;  // empty: everybody but the sender
  std::string content;
  std::optional<std::string> summary, request_id, reply_to, feedback;
  std::optional<bool> approve;
  bool interrupt = false;      // interrupts a running call of a model
  bool automatic = false;      // the words of a program or model that was not asked to send them
  std::optional<TaskId> task;  // that a plan is for
  // For a content that is too large for one line: `content` is its beginning, and each call returns the next piece.
  // Returns false at the end.
  std::function<bool(std::string& piece)> more;
};

class Mail {
 public:
  // `team` is the configuration by which members are known; it outlives this.
  Mail(std::shared_ptr<const TeamEngine> engine, const Team& team);

  // Returns the sent messages, one for each recipient; of a broadcast, without recipients at the exchange limit. Throws
  // not_found with similar names, permission_denied (also if a hook refuses the message), paused, invalid_state.
  std::vector<Message> send(const OutgoingMessage& outgoing, const Actor& actor) const;
  // Sends a message of `system`. A recipient that is not a member gets nothing.
  void notify(const std::string& recipient, const std::string& type, const std::string& content) const;
  // Does the same in two steps, for a caller that holds a lock: it sends the message, and returns a function that
  // records it once the lock is free.
  [[nodiscard]] std::function<void()> put_notice(const std::string& recipient, const std::string& type,
                                                 const std::string& content) const;
  // The objection of a hook to a proposed event; none if the hook agrees or does not exist.
  std::optional<std::string> objection(const std::string& hook, const Actor& actor, const Event& event) const;

  // Throws not_found with similar names unless `name` is a member or the user; `what` is the word for it in the
  // message.
  void check_member(const std::string& name, std::string_view what) const;
  // The names of all members but this one.
  std::vector<std::string> all_but(const std::string& name) const;
  // Throws not_found for a name that has no mailbox. The reference is good as long as this is.
  const Mailbox& mailbox(const std::string& owner) const;
  const EventLog& events() const { return engine_->events(); }
  const Requests& requests() const { return requests_; }
  const TeamEngine& engine() const { return *engine_; }
  // Records events and tells the hooks of them. The caller holds no lock.
  void record(const Actor& actor, const std::vector<Event>& events) const;
  // pending, delivered or processed; throws not_found for a message that was never sent.
  std::string state_of(const std::string& message_id) const;
  // Waits for any change in the team, and calls `done` after each, until it returns true, the deadline passes or the
  // team is removed.
  Mailbox::Waited wait(const Deadline& deadline, const std::function<bool()>& done) const {
    return engine_->wait(deadline, done);
  }

 private:
  std::vector<std::string> recipients(const OutgoingMessage& outgoing, const Actor& actor) const;
  Message make_message(const OutgoingMessage& outgoing, const Actor& actor, const std::string& recipient) const;
  void deliver(const OutgoingMessage& outgoing, Message& message, const Actor& actor) const;
  void open_request(const OutgoingMessage& outgoing, Message& message, const Actor& actor) const;
  void answer_request(const OutgoingMessage& outgoing, Message& message, const Actor& actor) const;
  std::vector<Event> events_of(const Message& message) const;
  EventOrigin origin(const Actor& actor) const;
  void ask_about_plan(const OutgoingMessage& outgoing, const std::vector<Message>& messages, const Actor& actor) const;
  std::unique_ptr<BodyWriter> store_body(const OutgoingMessage& outgoing, std::vector<Message>& messages) const;
  bool has_arrived(const Mailbox& mailbox, const std::string& message_id) const;

  std::shared_ptr<const TeamEngine> engine_;
  const Team& team_;
  Requests requests_;
};

// A content of more bytes is stored apart from its message.
inline constexpr std::size_t kLargestContent = 64 * 1024;

}  // namespace team
