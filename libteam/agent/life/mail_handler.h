// The mail of a teammate: selects the messages for the driver, answers shutdown requests, and sends results to the
// senders.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "libteam/agent/life/driver.h"
#include "libteam/store/team_session.h"

namespace team {

class MailHandler {
 public:
  struct Habits {
    bool claims = true;         // claims tasks: news about tasks is not for the driver
    bool plans = false;         // needs plan approval: answers to plans are not for the driver
    bool converses = false;     // the driver keeps a conversation
    bool user_listens = false;  // the user already hears the driver, so nothing is sent to the user
  };
  // `session` outlives this.
  MailHandler(TeamSession& session, const Habits& habits, std::function<void(const std::string& line)> note);

  // The messages for the driver, with their whole texts.
  std::vector<Message> select(const Batch& batch) const;

  // The requester, if the message is a shutdown request and the teammate agrees. Only the record of the request counts,
  // never the text of a message. A hook may refuse; then the requester is told. Throws errors that may pass.
  std::optional<std::string> agree_to_end(const Message& message) const;
  // Approves all pending shutdown requests, for a teammate that ends.
  void agree_with_all() const;

  // Sends the result to each sender as an automatic answer, which nobody answers automatically. Returns the reason if
  // the exchange limit forbids it.
  std::optional<std::string> reply(const std::vector<Message>& messages, const Outcome& outcome) const;
  // What a teammate says about its first prompt goes to the lead.
  void report(const std::string& text) const;
  // Tells the senders that the work failed.
  void regret(const std::vector<Message>& messages, const std::string& reason) const;

 private:
  enum class Freedom { may_refuse, ends_anyway };
  std::optional<std::string> agree(const std::string& request_id, const Event& event, Freedom freedom) const;
  void read_body(Message& message) const;

  TeamSession& session_;
  Habits habits_;
  std::function<void(const std::string& line)> note_;
};

// True for an error of the system that a retry may solve. All other errors would come again.
bool may_pass(const Error& error);

}  // namespace team
