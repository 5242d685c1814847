#include "libteam/store/exchange_limit.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "libteam/base/error.h"
#include "libteam/record/settings.h"

namespace team {

namespace {

bool is_counted(const Message& message, const Actor& actor) {
  const bool talk = message.type == "message" || message.type == "broadcast";
  return actor.run && actor.name != "user" && message.recipient != "user" && message.recipient != actor.name && talk;
}

bool changes_status(std::string_view type) {
  constexpr std::array<std::string_view, 5> kMoves = {"TASK_CLAIMED", "TASK_COMPLETED", "TASK_FAILED", "TASK_RELEASED",
                                                      "TASK_REOPENED"};
  return std::find(kMoves.begin(), kMoves.end(), type) != kMoves.end();
}

void edit(const TeamEngine& engine, const std::function<bool(Exchanges&)>& change) {
  engine.transact([&](TeamTransaction& team) {
    Exchanges exchanges = team.exchanges();
    if (change(exchanges)) team.put(exchanges);
  });
}

}  // namespace

void ExchangeLimit::forget(const std::vector<Message>& messages) const {
  if (!engine_.has_exchanges()) return;
  edit(engine_, [&](Exchanges& exchanges) {
    bool changed = false;
    for (const Message& message : messages) changed = exchanges.forget(message.recipient) || changed;
    return changed;
  });
}

// True if a task of either changed its status since the count began.
bool ExchangeLimit::has_progress(const Exchange& exchange) const {
  bool found = false;
  const auto concerns = [&](const std::string& name) { return name == exchange.one || name == exchange.other; };
  engine_.events().each_backward([&](std::string_view line) {
    const auto seq = sequence_of(line);
    if (seq && *seq <= exchange.since) return false;
    if (line.find("\"TASK_") == std::string_view::npos) return true;
    const auto envelope = find_envelope(line);
    if (!envelope || !changes_status(envelope->type)) return true;
    found = concerns(envelope->agent) || concerns(detail(*envelope, "owner"));
    return !found;
  });
  return found;
}

bool ExchangeLimit::is_at_limit(Exchange& exchange, std::int64_t limit) const {
  if (limit == 0 || exchange.rounds < limit) return false;
  if (!has_progress(exchange)) return true;
  exchange.rounds = 0;
  exchange.opener.clear();
  exchange.told = false;
  exchange.since = engine_.events().last_sequence();
  return false;
}

void ExchangeLimit::count(std::vector<Message>& messages, const Actor& actor) {
  if (actor.name == "user") forget(messages);
  if (messages.empty() || !is_counted(messages.front(), actor)) return;
  const auto limit = static_cast<std::int64_t>(number_setting(team_, "exchange.limit"));
  std::vector<Message> refused;
  std::vector<std::function<void()>> notices;
  std::string reason;
  const auto look = [&](Exchanges& exchanges) {
    for (const Message& message : messages) {
      Exchange& exchange = exchanges.between(message.sender, message.recipient, 0);
      if (exchange.since == 0) exchange.since = engine_.events().last_sequence();
      if (!is_at_limit(exchange, limit)) {
        counted_.emplace_back(message.id, exchange.count(message.sender));
        continue;
      }
      refused.push_back(message);
      reason = "exchange limit: " + describe(exchange);
      if (std::exchange(exchange.told, true)) continue;
      // The user is told first and the pause is stored second: after a crash in between the user is told once more.
      const auto record = tell_(fmt::format("[Paused] {}; write to either to continue (exchange.limit)", reason));
      notices.emplace_back([this, record, message] {
        record();
        record_(message_event("EXCHANGE_PAUSED", message));
      });
    }
    return true;
  };
  try {
    edit(engine_, look);
  } catch (const Error&) {
    if (!notices.empty()) after_change([] { throw; });
    throw;
  }
  for (const auto& record : notices) after_change(record);
  if (refused.empty()) return;
  if (refused.size() == messages.size()) {
    fail(Code::paused, "{}; the user must write to either, or a task of theirs change (exchange.limit)", reason);
  }
  std::erase_if(messages, [&](const Message& message) {
    return std::any_of(refused.begin(), refused.end(), [&](const Message& one) { return one.id == message.id; });
  });
}

void ExchangeLimit::take_back(const Message& message) {
  const auto found =
      std::find_if(counted_.begin(), counted_.end(), [&](const auto& entry) { return entry.first == message.id; });
  if (found == counted_.end()) return;
  edit(engine_, [&](Exchanges& exchanges) {
    Exchange* exchange = exchanges.find(message.sender, message.recipient);
    if (exchange == nullptr) return false;
    exchange->take_back(message.sender, found->second);
    return true;
  });
}

}  // namespace team
