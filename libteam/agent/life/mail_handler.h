// The mail of a teammate: what of it is for its driver, how requests to end are answered, what goes back to who wrote.
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
    bool claims = true;         // takes tasks from the board: what only tells of them is not for the driver
    bool plans = false;         // plans are agreed on before the work: answers to them are not for the driver
    bool converses = false;     // the driver keeps a conversation
    bool user_listens = false;  // the user hears what it says: it is not sent
  };
  // `session` outlives this.
  MailHandler(TeamSession& session, const Habits& habits, std::function<void(const std::string& line)> note);

  // The messages that are for the driver, with all that they say.
  std::vector<Message> select(const Batch& batch) const;

  // Who asks, if the message is a request to end and it is agreed to. A request counts if its record says so: what a
  // message pretends is nothing. A hook may refuse, and who asked is told. Throws what may pass.
  std::optional<std::string> agree_to_end(const Message& message) const;
  // Everybody who has asked gets what they want: for one that ends.
  void agree_with_all() const;

  // The result goes back to those who wrote, one by one. Gives why that is not allowed any more, if it is the limit.
  std::optional<std::string> reply(const std::vector<Message>& messages, const Outcome& outcome) const;
  // They are told that nothing came of it.
  void regret(const std::vector<Message>& messages, const std::string& reason) const;

 private:
  enum class Freedom { may_refuse, ends_anyway };
  std::optional<std::string> agree(const std::string& request_id, const Event& event, Freedom freedom) const;
  void read_body(Message& message) const;

  TeamSession& session_;
  Habits habits_;
  std::function<void(const std::string& line)> note_;
};

// The system may do better later; everything else would fail again.
bool may_pass(const Error& error);

}  // namespace team
