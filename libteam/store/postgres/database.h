// The connections of this process to one store in PostgreSQL, and transactions that happen exactly once.
//
// A transaction registers the number of its operation. If the connection is lost while the transaction commits, the
// next connection asks whether that number is there. So no change is lost, and none is made twice.
//
// Several threads may use a Database. A thread that asks something during its transaction sees its own changes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "libteam/record/event.h"
#include "libteam/store/postgres/connection.h"

namespace team {

// Statements that belong together. All that need no answer go out with the next question, or with the commit.
class Transaction {
 public:
  explicit Transaction(Connection& connection, double lock_timeout);

  void later(std::string text, SqlValues values = {});
  // Returns the answers to the statements of the question.
  std::vector<Rows> ask_all(const std::vector<Statement>& question);
  Rows ask(std::string text, SqlValues values = {});
  // Tells all watchers, when the transaction commits; see channel() and topics.h.
  void announce(const std::string& topic) { topics_.insert(topic); }

  // Appends events to the log of a team, by its number. The team stays locked until the end of the transaction, so the
  // numbers have no gaps.
  Logged append(std::int64_t team, const EventOrigin& origin, const std::vector<Event>& events);
  // Locks the team, and learns the number of its last event.
  void lock_team(std::int64_t team);

  void commit(const std::string& channel);

 private:
  Deadline deadline() const;

  Connection& connection_;
  double lock_timeout_;
  std::vector<Statement> later_;
  std::set<std::string> topics_;
  std::map<std::int64_t, std::int64_t> last_event_;  // of the locked teams
};

class Database {
 public:
  // Connects at the first use. Every name in `schema` is found without it.
  Database(std::string address, std::string schema, double lock_timeout);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Runs `step` as a transaction, or as a part of the transaction that this thread is in. Runs it again if the
  // connection is lost before the commit, or if the server ended a deadlock. If `step` throws an Error, the changes
  // that it made stay, and the error is passed on. Throws again if a lock is not free in time.
  using Step = std::function<void(Transaction&)>;
  void transact(const Step& step) const;

  // Asks one question: in the transaction of this thread, or outside of any. Asks again if the connection is lost.
  Rows ask(std::string text, SqlValues values = {}) const;
  std::vector<Rows> ask_all(const std::vector<Statement>& question) const;

  // True in a transaction of this thread. Another value for each transaction.
  std::int64_t running_transaction() const;

  // A connection of its own, for waiting.
  std::unique_ptr<Connection> connect() const;
  // The same, perhaps one that was used before; for locks that last. A connection without locks can be given back.
  std::unique_ptr<Connection> lease() const;
  void give_back(std::unique_ptr<Connection> connection) const;
  // The channel of NOTIFY for all changes of this store.
  const std::string& channel() const { return channel_; }
  const std::string& address() const { return address_; }
  const std::string& schema() const { return schema_; }
  double lock_timeout() const { return lock_timeout_; }

  // Makes the tables, or brings them to the version of this program. Throws invalid_state for newer ones.
  void prepare() const;
  // Throws not_found if there is no store in this schema, invalid_state for one of another version.
  void check_version() const;

 private:
  struct Running;
  bool try_transact(const Step& step, const std::string& operation, bool repeats) const;
  Running* running() const;

  std::string address_, schema_, channel_;
  double lock_timeout_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Connection>> idle_;
};

// Turns a refusal of the server into an Error: again, io, corrupt.
[[noreturn]] void fail_sql(const SqlError& error);

}  // namespace team
