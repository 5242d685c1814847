#include "libteam/store/postgres/database.h"

#include <atomic>
#include <utility>

#include "libteam/base/clock.h"
#include "libteam/base/json_text.h"
#include "libteam/store/postgres/schema.h"
#include "libteam/system/id.h"

namespace team {

namespace {

constexpr double kAnswerTime = 10;  // beyond the time that a lock may take
constexpr int kMostTries = 20;
constexpr double kPauseBetweenTries = 0.25;

constexpr std::string_view kLockTimeout = "55P03", kDeadlock = "40P01", kUnique = "23505";

bool is_a_passing_fault(const SqlError& error) {
  // The server is shutting down, starting, or has become a standby.
  return error.is_of_class("57") || error.is_of_class("08") || error.is("25006");
}

}  // namespace

void fail_sql(const SqlError& error) {
  if (error.is(kLockTimeout)) fail(Code::again, "timed out waiting for another change of the store");
  fail(Code::io, "the store refuses: {}", error.what());
}

Transaction::Transaction(Connection& connection, double lock_timeout)
    : connection_(connection), lock_timeout_(lock_timeout) {}

Deadline Transaction::deadline() const { return Deadline::in(lock_timeout_ + kAnswerTime); }

void Transaction::later(std::string text, SqlValues values) { later_.push_back({std::move(text), std::move(values)}); }

std::vector<Rows> Transaction::ask_all(const std::vector<Statement>& question) {
  std::vector<Statement> all = std::exchange(later_, {});
  const auto before = static_cast<std::ptrdiff_t>(all.size());
  all.insert(all.end(), question.begin(), question.end());
  std::vector<Rows> answers = connection_.run_all(all, deadline());
  answers.erase(answers.begin(), answers.begin() + before);
  return answers;
}

Rows Transaction::ask(std::string text, SqlValues values) {
  return ask_all({Statement{std::move(text), std::move(values)}}).front();
}

void Transaction::lock_team(std::int64_t team) {
  if (last_event_.contains(team)) return;
  const Rows rows = ask("select seq from teams where no = $1 for no key update", {sql(team)});
  if (rows.empty()) fail(Code::not_found, "the team was removed");
  last_event_[team] = rows.number(0, 0);
}

Logged Transaction::append(std::int64_t team, const EventOrigin& origin, const std::vector<Event>& events) {
  if (events.empty()) return {};
  lock_team(team);
  const Logged logged{last_event_[team] + 1, now()};
  std::vector<std::string> lines;
  for (const Event& event : events) {
    lines.push_back(
        to_envelope(logged.first + static_cast<std::int64_t>(lines.size()), logged.timestamp, origin, event));
  }
  last_event_[team] += static_cast<std::int64_t>(lines.size());
  later(
      "insert into events (team, seq, body) select $1::int, $2::bigint + place - 1, line"
      " from json_array_elements_text($3) with ordinality as lines (line, place)",
      {sql(team), sql(logged.first), json_array_of_texts(lines)});
  later("update teams set seq = $2 where no = $1", {sql(team), sql(last_event_[team])});
  announce(fmt::format("events {}", team));
  return logged;
}

void Transaction::commit(const std::string& channel) {
  for (const std::string& topic : topics_) later("select pg_notify($1, $2)", {channel, topic});
  later("commit");
  ask_all({});
}

struct Database::Running {
  const Database* database;
  Transaction* transaction;
  std::int64_t number;
  Running* outer;
  static thread_local Running* innermost;
};

thread_local Database::Running* Database::Running::innermost = nullptr;

Database::Database(std::string address, std::string schema, double lock_timeout)
    : address_(std::move(address)),
      schema_(std::move(schema)),
      channel_("teamkit_" + schema_),
      lock_timeout_(lock_timeout) {}

Database::Running* Database::running() const {
  Running* found = Running::innermost;
  while (found != nullptr && found->database != this) found = found->outer;
  return found;
}

std::int64_t Database::running_transaction() const { return running() != nullptr ? running()->number : 0; }

std::unique_ptr<Connection> Database::connect() const {
  auto connection = std::make_unique<Connection>(address_);
  connection->run({fmt::format("set search_path = \"{}\"", schema_), {}}, Deadline::in(kAnswerTime));
  return connection;
}

std::unique_ptr<Connection> Database::lease() const {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto connection = std::move(idle_.back());
      idle_.pop_back();
      return connection;
    }
  }
  return connect();
}

void Database::give_back(std::unique_ptr<Connection> connection) const {
  if (connection->is_in_transaction()) return;
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(connection));
}

// False if it has to run again. After a lost commit the first question of the next try tells whether it was made.
bool Database::try_transact(const Step& step, const std::string& operation, bool repeats) const {
  std::unique_ptr<Connection> connection;
  try {
    connection = lease();
  } catch (const Error& error) {
    if (!repeats) throw;
    throw ConnectionLost(error.what());
  }
  Transaction transaction(*connection, lock_timeout_);
  transaction.later("begin");
  transaction.later(fmt::format("set local lock_timeout = '{}ms'", static_cast<std::int64_t>(lock_timeout_ * 1000)));
  const Statement mark{"insert into ops (op) values ($1)", {operation}};
  if (repeats) {
    try {
      transaction.ask_all({mark});
    } catch (const SqlError& error) {
      if (!error.is(kUnique)) throw;
      return true;
    }
  } else {
    transaction.later(mark.text, mark.values);
  }
  static std::atomic<std::int64_t> numbers = 0;
  Running running{this, &transaction, ++numbers, Running::innermost};
  Running::innermost = &running;
  std::optional<Error> refusal;
  try {
    step(transaction);
  } catch (const Error& error) {
    refusal = error;
  } catch (...) {
    Running::innermost = running.outer;
    throw;
  }
  Running::innermost = running.outer;
  transaction.commit(channel_);
  const auto warning = connection->take_standby_warning();
  give_back(std::move(connection));
  if (warning) fail(Code::unknown, "the change is made, but perhaps not on the standby: {}", *warning);
  if (refusal) throw Error(*refusal);
  return true;
}

void Database::transact(const Step& step) const {
  if (const Running* outer = running()) return step(*outer->transaction);
  const std::string operation = new_id();
  bool in_doubt = false;
  for (int tries = 1;; ++tries) {
    std::string reason;
    try {
      if (try_transact(step, operation, in_doubt)) return;
    } catch (const ConnectionLost& error) {
      in_doubt = true;
      reason = error.what();
    } catch (const SqlError& error) {
      if (!error.is(kDeadlock) && !is_a_passing_fault(error)) fail_sql(error);
      in_doubt = in_doubt || !error.is(kDeadlock);
      reason = error.what();
    }
    {
      // The other connections are as old as the lost one.
      const std::lock_guard lock(mutex_);
      idle_.clear();
    }
    if (tries == kMostTries) {
      if (!in_doubt) fail(Code::unavailable, "the store does not answer: {}", reason);
      fail(Code::unknown, "the store does not say whether the change is made: {}", reason);
    }
    sleep_until(Deadline::in(kPauseBetweenTries));
  }
}

std::vector<Rows> Database::ask_all(const std::vector<Statement>& question) const {
  try {
    if (const Running* outer = running()) return outer->transaction->ask_all(question);
    for (int tries = 1;; ++tries) {
      try {
        auto connection = lease();
        auto answers = connection->run_all(question, Deadline::in(kAnswerTime));
        give_back(std::move(connection));
        return answers;
      } catch (const ConnectionLost& error) {
        const std::lock_guard lock(mutex_);
        idle_.clear();
        if (tries == kMostTries) fail(Code::unavailable, "the store does not answer: {}", error.what());
      }
      sleep_until(Deadline::in(kPauseBetweenTries));
    }
  } catch (const SqlError& error) {
    if (running() != nullptr) throw;
    fail_sql(error);
  }
}

Rows Database::ask(std::string text, SqlValues values) const {
  return ask_all({Statement{std::move(text), std::move(values)}}).front();
}

void Database::check_version() const {
  const Rows there = ask("select to_regclass('layout') is not null");
  if (!there.flag(0, 0))
    fail(Code::not_found, "no store in schema '{}' of the database; team-create makes one", schema_);
  const std::int64_t version = ask("select version from layout").number(0, 0);
  if (version > kSchemaVersion) {
    fail(Code::invalid_state, "schema '{}' has version {} of the tables; this teamkit knows version {}", schema_,
         version, kSchemaVersion);
  }
}

void Database::prepare() const {
  const auto connection = connect();
  const Deadline deadline = Deadline::in(lock_timeout_ + kAnswerTime);
  // One process at a time makes a schema. The layout is there when the tables are.
  std::vector<Statement> statements = {{"begin", {}},
                                       {"select pg_advisory_xact_lock(hashtext($1))", {channel_}},
                                       {"select to_regclass('layout') is not null", {}}};
  try {
    if (!connection->run_all(statements, deadline).back().flag(0, 0)) {
      statements = {{fmt::format("create schema if not exists \"{}\"", schema_), {}}};
      for (const std::string& statement : schema_statements()) statements.push_back({statement, {}});
      statements.push_back({"commit", {}});
      connection->run_all(statements, deadline);
    }
  } catch (const ConnectionLost& error) {
    fail(Code::unavailable, "the store does not answer: {}", error.what());
  } catch (const SqlError& error) {
    fail_sql(error);
  }
  check_version();
}

}  // namespace team
