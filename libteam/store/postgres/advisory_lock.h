// A lock that lasts as long as a connection, as flock(2) lasts as long as a process: the server releases it when the
// connection ends in any way.
//
// A lock is named by a table and the number of a row in it. No other connection can take it from its holder.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "libteam/store/postgres/database.h"

namespace team {

struct LockName {
  std::string table;
  std::int64_t number = 0;
};

// An SQL expression that is true if the lock of this table and this number (an expression too) is held by anybody.
std::string is_locked(const std::string& table, const std::string& number);

class AdvisoryLock {
 public:
  // Does not have the lock yet. Connects when it is first needed.
  AdvisoryLock(std::shared_ptr<const Database> database, LockName name);
  AdvisoryLock(AdvisoryLock&&) = default;
  AdvisoryLock& operator=(AdvisoryLock&&) = delete;
  ~AdvisoryLock() { release(); }

  // True if this object has it, or gets it now. False if its connection was lost: then the lock was lost too.
  bool take();
  // The same, or enters the queue.
  bool take_or_queue();
  // Enters the queue of readers, who get the lock together when its holder ends.
  void queue_for_end();
  // In the queue: the descriptor that can be read when the lock has come, or when the connection was lost.
  int descriptor() const;
  // True if the turn has come. Throws nothing: a lost connection counts as an end.
  bool has_come();
  // Returns when the lock is free, unless the server cannot be reached.
  void release();

 private:
  Statement statement(const char* function) const;
  bool enter(const char* function);
  void connect();

  std::shared_ptr<const Database> database_;
  LockName name_;
  std::unique_ptr<Connection> connection_;
  bool has_it_ = false, is_queued_ = false;
};

}  // namespace team
