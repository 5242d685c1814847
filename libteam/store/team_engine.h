// The storage of one team: its configuration, requests and counters, its mail, its event log and its lives.
//
// The rules of sending, answering and joining are written once, above this: store/mail.h, requests.h, membership.h.
// When a function returns, its change is durable, as far as the durability of the team says. Any number of processes
// may use a team at once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/base/error.h"
#include "libteam/record/exchange.h"
#include "libteam/record/quota.h"
#include "libteam/record/request.h"
#include "libteam/record/team.h"
#include "libteam/store/event_log.h"
#include "libteam/store/hooks.h"
#include "libteam/store/life.h"
#include "libteam/store/mailbox.h"

namespace team {

// The requests and counters of a team while no other process changes them. A put is visible at once.
class TeamTransaction {
 public:
  virtual ~TeamTransaction() = default;

  // None if there is no such request; throws corrupt for one that cannot be read.
  virtual std::optional<Request> find(const std::string& id) = 0;
  // Returns false if there is a request of that id.
  virtual bool insert(const Request& request) = 0;
  virtual void put(const Request& request) = 0;

  virtual Exchanges exchanges() = 0;
  virtual void put(const Exchanges& exchanges) = 0;

  virtual Quotas quotas() = 0;
  virtual void put(const Quotas& quotas) = 0;
};

// The content of a large message while its messages are being sent. A content belongs to its writer as long as the
// writer lives, and then to messages with the ids that it was published under.
class BodyWriter {
 public:
  virtual ~BodyWriter() = default;

  virtual void append(std::string_view piece) = 0;
  // Makes the content readable by these ids.
  virtual void publish(const std::vector<std::string>& ids) = 0;
  // Removes the content of these ids, whose messages are not sent after all. Throws nothing.
  virtual void discard(const std::vector<std::string>& ids) = 0;
};

class TeamEngine {
 public:
  virtual ~TeamEngine() = default;

  // The configuration as it is now. Throws not_found if the team was removed, corrupt if it cannot be read.
  virtual Team configuration() const = 0;
  // Lets `edit` change the configuration, stores it and returns it. Calls `edit` again if a person edited the
  // configuration meanwhile. Errors of `edit` are passed on.
  virtual Team change(const std::function<void(Team&)>& edit) const = 0;
  // Names the current configuration: another value after each change. Throws not_found.
  virtual std::string version() const = 0;

  // The references are good as long as this is.
  virtual const LifeEngine& lives() const = 0;
  virtual const Mailbox& mailbox(const std::string& owner) const = 0;
  virtual std::unique_ptr<BodyWriter> write_body() const = 0;
  virtual const EventLog& events() const = 0;
  virtual const Hooks& hooks() const = 0;

  // Runs `step` as the only transaction of this team. Throws again if the team is not free in time. Errors of `step`
  // are passed on; its earlier puts stay.
  using Step = std::function<void(TeamTransaction&)>;
  virtual void transact(const Step& step) const = 0;

  // Reading outside a transaction, as TeamTransaction::find().
  virtual std::optional<Request> find_request(const std::string& id) const = 0;
  // Requests without an answer, oldest first; one that cannot be read is reported and passed over.
  using Report = std::function<void(const Error&)>;
  virtual std::vector<Request> pending_requests(const Report& broken) const = 0;
  virtual std::vector<Request> all_requests(const Report& broken) const = 0;
  virtual void remove_request(const std::string& id) const = 0;
  virtual Exchanges exchanges() const = 0;
  // False if nothing was counted yet. Then there is nothing to reset.
  virtual bool has_exchanges() const = 0;
  // Throws corrupt.
  virtual Quotas quotas() const = 0;
  // False if no quota was ever in the ledger.
  virtual bool has_quotas() const = 0;

  // Waits for any change in the team, and calls `done` after each, until it returns true.
  virtual Mailbox::Waited wait(const Deadline& deadline, const std::function<bool()>& done) const = 0;

  // A sentence about a scarce resource of the store, such as a nearly full disk; none if there is enough.
  virtual std::optional<std::string> shortage() const = 0;
};

}  // namespace team
