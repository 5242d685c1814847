// Messages that a member has taken and confirms later, in the same process.
//
// Between the two nobody else gets them. If the process dies, or drops them unconfirmed, the next reader gets them: at
// least once, with the same ids. For a confirmation by another process there is Taking::hold.
#pragma once

#include <memory>
#include <vector>

#include "libteam/store/team_session.h"

namespace team {

class TakenMessages {
 public:
  // With the contents of large messages, up to a megabyte each.
  const std::vector<Message>& messages() const { return messages_; }
  // Acknowledges them all.
  void acknowledge();

 private:
  friend std::unique_ptr<TakenMessages> take_messages(const TeamSession& session, std::size_t most);

  std::shared_ptr<const Mail> mail_;
  Actor self_;
  std::unique_ptr<Batch> batch_;
  std::vector<Message> messages_;
};

// Takes the oldest messages of the actor, at most `most`; null if there is none. Throws as Mailbox::take() does.
std::unique_ptr<TakenMessages> take_messages(const TeamSession& session, std::size_t most);

}  // namespace team
