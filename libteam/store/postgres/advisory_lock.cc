#include "libteam/store/postgres/advisory_lock.h"

#include <utility>

namespace team {

namespace {

const Deadline answer_time() { return Deadline::in(10); }

}  // namespace

std::string is_locked(const std::string& table, const std::string& number) {
  return fmt::format(
      "exists (select from pg_locks where locktype = 'advisory' and objsubid = 2 and granted and mode = 'ExclusiveLock'"
      " and database = (select oid from pg_database where datname = current_database())"
      " and classid = '{}'::regclass::oid and objid = {}::oid)",
      table, number);
}

AdvisoryLock::AdvisoryLock(std::shared_ptr<const Database> database, LockName name)
    : database_(std::move(database)), name_(std::move(name)) {}

Statement AdvisoryLock::statement(const char* function) const {
  return {fmt::format("select {}('{}'::regclass::oid::int, $1)", function, name_.table), {sql(name_.number)}};
}

void AdvisoryLock::connect() {
  if (!connection_) connection_ = database_->lease();
}

bool AdvisoryLock::take() {
  if (is_queued_) return has_come();
  if (has_it_) return true;
  connect();
  try {
    has_it_ = connection_->run(statement("pg_try_advisory_lock"), answer_time()).flag(0, 0);
  } catch (const ConnectionLost&) {
    connection_.reset();
  }
  return has_it_;
}

bool AdvisoryLock::enter(const char* function) {
  connect();
  try {
    connection_->send(statement(function));
    is_queued_ = true;
    return has_come();
  } catch (const ConnectionLost&) {
    release();
    return false;
  }
}

bool AdvisoryLock::take_or_queue() {
  if (take()) return true;
  return is_queued_ ? false : enter("pg_advisory_lock");
}

void AdvisoryLock::queue_for_end() {
  if (!is_queued_ && !has_it_) enter("pg_advisory_lock_shared");
}

int AdvisoryLock::descriptor() const { return connection_ ? connection_->socket() : -1; }

bool AdvisoryLock::has_come() {
  if (!is_queued_) return has_it_;
  try {
    if (!connection_->has_answer()) return false;
    is_queued_ = false;
    return has_it_ = true;
  } catch (const std::runtime_error&) {
    release();
    return false;
  }
}

void AdvisoryLock::release() {
  auto connection = std::move(connection_);
  const bool had_it = std::exchange(has_it_, false);
  // The end of the connection ends the wait for a lock. It also releases a lock, but a moment later.
  if (std::exchange(is_queued_, false) || !connection) return;
  try {
    if (had_it) connection->run({"select pg_advisory_unlock_all()", {}}, answer_time());
    database_->give_back(std::move(connection));
  } catch (const std::exception&) {
    // The lock goes with the connection.
  }
}

}  // namespace team
