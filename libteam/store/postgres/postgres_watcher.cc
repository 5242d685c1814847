#include "libteam/store/postgres/postgres_watcher.h"

#include <algorithm>

#include "libteam/base/number.h"
#include "libteam/base/text.h"
#include "libteam/store/board.h"
#include "libteam/store/postgres/postgres_board.h"
#include "libteam/store/postgres/postgres_lives.h"
#include "libteam/system/event_fd.h"

namespace team {

void PostgresWatcher::begin(const Board& board) {
  const auto lives = board.lives();
  clear();
  board_ = dynamic_cast<const PostgresBoard&>(board.engine()).number();
  team_ = lives ? dynamic_cast<const PostgresLives&>(*lives).team() : 0;
}

void PostgresWatcher::begin(const Board& board, const LifeEngine& lives) {
  clear();
  board_ = dynamic_cast<const PostgresBoard&>(board.engine()).number();
  team_ = dynamic_cast<const PostgresLives&>(lives).team();
}

void PostgresWatcher::clear() {
  // The listener stays: it costs nothing while nobody waits, and a new one a connection.
  board_ = team_ = wake_at_ = 0;
  wants_tasks_ = wants_team_ = wants_configuration_ = wants_quotas_ = false;
  inboxes_.clear();
  lives_.clear();
  descriptors_.clear();
}

void PostgresWatcher::listen() {
  if (!listener_) listener_ = std::make_unique<ChangeListener>(database_);
}

void PostgresWatcher::watch_tasks() {
  wants_tasks_ = true;
  listen();
}

void PostgresWatcher::watch_team() {
  wants_team_ = true;
  listen();
}

void PostgresWatcher::watch_configuration() {
  wants_configuration_ = true;
  listen();
}

void PostgresWatcher::watch_quotas() {
  wants_quotas_ = true;
  listen();
}

void PostgresWatcher::watch_inbox(const std::string& member) {
  inboxes_.push_back(member);
  listen();
}

void PostgresWatcher::watch_life(const std::string& member) {
  if (lives_.contains(member)) return;
  AdvisoryLock lock(database_, {"members", member_number(*database_, team_, member)});
  lock.queue_for_end();
  lives_.emplace(member, std::move(lock));
  listen();
}

void PostgresWatcher::add_topic(const std::string& topic, TeamChanges& changes) const {
  const auto words = split(topic, ' ');
  if (words.size() < 2) return;
  const std::string kind(words[0]);
  const std::int64_t number = parse_integer(words[1]).value_or(0);
  const std::string name(words.size() > 2 ? words[2] : std::string_view());
  if (kind == "task") {
    if (!wants_tasks_ || number != board_) return;
    const TaskId id = parse_integer(name).value_or(0);
    if (id != 0) changes.tasks.push_back(id);
    else changes.everything = true;
    return;
  }
  if (number != team_) return;
  if (kind == "team") changes.everything = true;
  if (kind == "inbox") {
    if (wants_team_) changes.mail.push_back(name);
    const bool is_watched = std::find(inboxes_.begin(), inboxes_.end(), name) != inboxes_.end();
    if (wants_team_ || is_watched) changes.inboxes.push_back(name);
  }
  if (kind == "config") changes.team = wants_team_ || wants_configuration_;
  if (kind == "quotas") changes.quotas = wants_team_ || wants_quotas_;
  if (kind == "requests" && wants_team_) changes.everything = true;
  if (kind == "events" && wants_team_) changes.events = true;
  if (kind == "state" && wants_team_) changes.states.push_back(name);
  if (kind == "life" && (wants_team_ || lives_.contains(name))) changes.lives.push_back(name);
}

void PostgresWatcher::add_ended_lives(TeamChanges& changes) {
  for (auto life = lives_.begin(); life != lives_.end();) {
    if (life->second.has_come() || life->second.descriptor() < 0) {
      changes.lives.push_back(life->first);
      life = lives_.erase(life);
    } else {
      ++life;
    }
  }
}

TeamChanges PostgresWatcher::wait(const Deadline& deadline) {
  while (true) {
    TeamChanges changes;
    const std::int64_t left = wake_at_ - boot_ns();
    if (wake_at_ != 0 && left <= 0) {
      changes.any = changes.woken = true;
      return changes;
    }
    const Deadline next = wake_at_ != 0 ? deadline.or_in(static_cast<double>(left) / 1e9) : deadline;
    std::vector<int> descriptors = descriptors_;
    for (const auto& [member, lock] : lives_) {
      if (lock.descriptor() >= 0) descriptors.push_back(lock.descriptor());
    }
    listen();
    const auto heard = listener_->wait(next, descriptors);
    changes.everything = heard.everything;
    for (const std::string& topic : heard.topics) add_topic(topic, changes);
    add_ended_lives(changes);
    changes.woken = std::any_of(descriptors_.begin(), descriptors_.end(), can_be_read);
    changes.any = changes.everything || changes.woken || changes.has_topics() || !changes.inboxes.empty();
    if (changes.any || deadline.passed()) return changes;
  }
}

}  // namespace team
