#include "libteam/mcp/team_waiting.h"

#include <poll.h>

namespace team {

namespace {

constexpr double kRetry = 0.5;  // seconds until a store that cannot be watched is tried again

void await_any(const std::vector<int>& descriptors, const Deadline& deadline) {
  std::vector<pollfd> polled;
  for (const int fd : descriptors) polled.push_back({fd, POLLIN, 0});
  ::poll(polled.data(), polled.size(), deadline.left_ms());
}

}  // namespace

TeamWaiting::TeamWaiting(TeamDoor& door, std::vector<int> descriptors)
    : door_(door), descriptors_(std::move(descriptors)) {
  begin();
}

void TeamWaiting::begin() {
  waiter_.reset();
  try {
    TeamSession& session = door_.session();
    const auto scope = session.team_or_none() != nullptr ? Waiter::Scope::board_and_team : Waiter::Scope::board;
    waiter_ = std::make_unique<Waiter>(session.engine(), session.board(), scope, WaitRules{});
    waiter_->watch_also([this](Watcher& watcher) {
      for (const int fd : descriptors_) watcher.wake_on(fd);
    });
  } catch (const Error&) {
    // The next step of each request says why.
    waiter_.reset();
  }
  generation_ = door_.generation();
}

void TeamWaiting::wait(const Deadline& deadline) {
  if (!waiter_) {
    await_any(descriptors_, deadline.or_in(kRetry));
    return begin();
  }
  try {
    const TeamSession& session = door_.session();
    // The parts that the waiter watches are gone. The next steps find what changed meanwhile.
    if (generation_ != door_.generation()) return begin();
    waiter_->wait(session.board().lapses(), deadline);
    if (waiter_->has_lapsed()) waiter_->reclaim();
  } catch (const Error&) {
    waiter_.reset();
  }
}

}  // namespace team
