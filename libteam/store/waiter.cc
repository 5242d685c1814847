#include "libteam/store/waiter.h"

#include <unistd.h>

#include <algorithm>

namespace team {

namespace {

constexpr double kDoubt = 0.3;    // seconds that tasks may be missing while somebody replaces them
constexpr double kSettle = 1;     // the same, for a store that came back
constexpr double kAbsence = 5;    // that a store may be missing
constexpr double kLook = 0.2;     // between two looks at a missing store
constexpr double kRetry = 1;      // after a reclaim that the system refused
constexpr double kEnding = 0.05;  // that a life may last after its end was announced
constexpr useconds_t kMoment = 2000;

void await_end(const Board& board, const std::string& member) {
  const Deadline limit = Deadline::in(kEnding);
  while (board.life_of(member) == Life::running && !limit.passed()) ::usleep(kMoment);
}

}  // namespace

void fail_as_removed(const Board& board) { fail(Code::not_found, "the board '{}' was removed", board.path()); }

Waiter::Waiter(const Engine& engine, Board& board, Scope scope, const WaitRules& rules)
    : board_(board), scope_(scope), rules_(rules), watcher_(engine.make_watcher()) {
  watch();
}

void Waiter::watch() {
  owners_.clear();
  watcher_->begin(board_);
  watcher_->watch_tasks();
  if (scope_ == Scope::board_and_team) watcher_->watch_team();
  else watcher_->watch_configuration();
  if (also_) also_(*watcher_);
}

void Waiter::watch_also(std::function<void(Watcher&)> add) {
  also_ = std::move(add);
  also_(*watcher_);
}

// False if one of them has died before the watch began.
bool Waiter::watch_owners(const std::vector<std::string>& owners) {
  if (scope_ == Scope::board_and_team) return true;
  std::vector<std::string> added;
  for (const std::string& owner : owners) {
    if (!owners_.insert(owner).second) continue;
    watcher_->watch_life(owner);
    added.push_back(owner);
  }
  return !has_lost(added);
}

bool Waiter::has_lost(const std::vector<std::string>& owners) const {
  return std::any_of(owners.begin(), owners.end(),
                     [&](const std::string& owner) { return board_.life_of(owner) != Life::running; });
}

bool Waiter::wait(const Lapses& lapses, const Deadline& until) {
  has_lapsed_ = has_moved_ = false;
  changes_ = {};
  if (!watch_owners(lapses.holders)) {
    has_lapsed_ = true;
    return true;
  }
  // A lease that ended already could not be reclaimed.
  const bool is_overdue = lapses.lease_end != 0 && lapses.lease_end <= boot_ns();
  if (is_overdue && !retry_) retry_ = Deadline::in(kRetry);
  watcher_->wake_at(is_overdue ? 0 : lapses.lease_end);
  Deadline end = rules_.deadline.or_at(until);
  if (doubt_) end = end.or_at(*doubt_);
  if (retry_) end = end.or_at(*retry_);
  changes_ = watcher_->wait(end);
  if (!changes_.any && rules_.deadline.passed()) return false;
  has_woken_ = has_woken_ || changes_.any;
  if (changes_.removed) {
    watcher_->await_removal();
    changes_.everything = true;
  }
  has_lapsed_ = lapses.lease_end != 0 && lapses.lease_end <= boot_ns();
  if (retry_ && retry_->passed()) {
    retry_.reset();
    has_lapsed_ = true;
  }
  for (const std::string& member : changes_.lives) await_end(board_, member);
  const bool may_have_died = changes_.everything || !changes_.lives.empty();
  if (may_have_died && has_lost(lapses.holders)) has_lapsed_ = true;
  if (changes_.everything || changes_.team) reopen();
  return true;
}

void Waiter::find_store() {
  const auto board = board_.reopen();
  const auto team = board_.reopen_team();
  const auto missing = Board::Place::missing;
  is_missing_ = board == missing || (team == missing && scope_ == Scope::board_and_team);
  has_moved_ = has_moved_ || is_missing_ || board != Board::Place::same || team == Board::Place::another;
}

void Waiter::reopen() {
  find_store();
  const Deadline absence = rules_.keep_waiting ? rules_.deadline : rules_.deadline.or_in(kAbsence);
  while (is_missing_ && !absence.passed()) {
    sleep_until(absence.or_in(kLook));
    find_store();
  }
  watch();
  if (is_missing_) doubt_ = Deadline::in(0);
  else if (has_moved_) doubt_ = Deadline::in(kSettle);
}

bool Waiter::is_certain() {
  if (!has_woken_) return true;
  if (!doubt_) doubt_ = Deadline::in(kDoubt);
  return doubt_->passed();
}

void Waiter::reclaim() {
  try {
    board_.reclaim();
  } catch (const Error&) {
    look_in(kRetry);  // a store that we may only read, or a lock that is not free
  }
}

}  // namespace team
