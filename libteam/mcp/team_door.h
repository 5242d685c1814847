// The session behind the tools of one MCP client: opened when it is first needed, and kept up to date.
#pragma once

#include <cstdint>
#include <functional>

#include "libteam/store/team_session.h"

namespace team {

class TeamDoor {
 public:
  // `open` opens a session, or throws. Its result lives until the next call of it, or as long as this.
  explicit TeamDoor(std::function<TeamSession&()> open) : open_(std::move(open)) {}

  // The session with the present configuration. Throws as `open` does, and not_found if the team was removed.
  TeamSession& session() {
    // Without a team there is only a board. A team may have been made since.
    if (session_ == nullptr || session_->team_or_none() == nullptr) {
      ++generation_;
      session_ = nullptr;
      session_ = &open_();
    } else if (!session_->is_current()) {
      ++generation_;
      session_->refresh();
    }
    return *session_;
  }

  // Another number when session() has opened the parts of the session again: references to the old ones are invalid.
  std::int64_t generation() const { return generation_; }

 private:
  std::function<TeamSession&()> open_;
  TeamSession* session_ = nullptr;
  std::int64_t generation_ = 0;
};

}  // namespace team
