// The limit on rounds between two agents (setting exchange.limit), so that they do not talk without end.
//
// A message of the user to either lets them go on. So does a task of either that changes its status; that is looked up
// in the event log when the limit is reached, so work on tasks costs nothing more. Then the count begins anew.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "libteam/record/exchange.h"
#include "libteam/record/message.h"
#include "libteam/record/team.h"
#include "libteam/store/team_engine.h"

namespace team {

class ExchangeLimit {
 public:
  // Sends a message to the user, and returns a function that records it once no lock is held.
  using Tell = std::function<std::function<void()>(const std::string& text)>;
  using Record = std::function<void(const Event& event)>;
  // `engine` and `team` outlive this.
  ExchangeLimit(const TeamEngine& engine, const Team& team, Tell tell, Record record)
      : engine_(engine), team_(team), tell_(std::move(tell)), record_(std::move(record)) {}

  // Counts messages that are about to be sent; a message of the user resets the counts of its recipient. Removes those
  // that the limit forbids, and tells the user. Throws paused if none is left.
  void count(std::vector<Message>& messages, const Actor& actor);
  // A counted message was not sent after all. Throws as Mail::send() does.
  void take_back(const Message& message);

 private:
  void forget(const std::vector<Message>& messages) const;
  bool is_at_limit(Exchange& exchange, std::int64_t limit) const;
  bool has_progress(const Exchange& exchange) const;

  const TeamEngine& engine_;
  const Team& team_;
  Tell tell_;
  Record record_;
  std::vector<std::pair<std::string, Exchange::Step>> counted_;  // by the id of the message
};

}  // namespace team
