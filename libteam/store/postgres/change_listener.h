// Waits for announcements of changes in a store, on a connection of its own.
//
// Every change announces its topics when it commits. A listener that lost its connection makes a new one and reports
// that anything may have changed. So a caller that looks after each wait misses no change.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libteam/base/clock.h"
#include "libteam/store/postgres/database.h"

namespace team {

class ChangeListener {
 public:
  // Hears everything that commits after this.
  explicit ChangeListener(std::shared_ptr<const Database> database);

  struct Heard {
    bool everything = false;  // the connection was lost: anything may have changed
    bool woken = false;       // one of the descriptors is ready
    std::vector<std::string> topics;
    bool any() const { return everything || woken || !topics.empty(); }
  };
  // Blocks until something was announced, a descriptor can be read or has lost its other end, or the deadline passed.
  Heard wait(const Deadline& deadline, const std::vector<int>& descriptors);

 private:
  void connect();

  std::shared_ptr<const Database> database_;
  std::unique_ptr<Connection> connection_;  // null while the server cannot be reached
};

}  // namespace team
