// The view of a team that somebody watches, kept up to date by reading no more than what has changed.
//
// The first look reads everything. After that a look reads what the watcher reports, and of the log only new events.
// Takes no lock. Several changes between two looks cost as much as one.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "libteam/base/clock.h"
#include "libteam/record/team.h"
#include "libteam/record/team_view.h"
#include "libteam/store/board.h"
#include "libteam/store/engine.h"
#include "libteam/store/mail.h"
#include "libteam/store/watcher.h"

namespace team {

class LiveTeam {
 public:
  // `engine` and `board` outlive this; `reader` is the one who watches.
  LiveTeam(const Engine& engine, Board& board, Team team, std::string reader);

  // Begins to watch the team and its board: before the first look.
  void watch(Watcher& watcher) const;

  // True if the team or the board was replaced by another one since the last call: then watch() is due.
  bool has_moved() { return std::exchange(has_moved_, false); }

  // Reads all, or what changed. Throws not_found if the team is gone, corrupt if its configuration is broken: then the
  // rest is up to date all the same.
  void look_at_all();
  void look(const TeamChanges& changes);
  // True if the last look failed: the next one looks at everything.
  bool has_missed() const { return missed_; }
  // A member announces its shutdown before its life is over. Callers must look again shortly after.
  bool is_unsettled() const { return !restless_.empty(); }

  // What this member said and did lately goes into the scene, and what it says from now on; an empty name ends that.
  void listen_to(const std::string& member);

  const TeamView& scene() const { return scene_; }

 private:
  void reopen();
  void look_at_team();
  std::optional<Error> try_team();
  void look_at(const std::set<std::string>& members);
  void count_letters(const std::set<std::string>& members);
  void look_at_tasks(const std::vector<TaskId>& tasks);
  void look_at_plans();
  void read_events();
  void hear(const Envelope& envelope);
  std::size_t unread_of(const std::string& member) const;
  std::string read_log_of(const std::string& member) const;
  void refresh_speech();

  const Engine& engine_;
  Board& board_;
  Team team_;
  std::optional<Mail> mail_;  // refers to team_
  TeamView scene_;
  std::int64_t last_ = 0;  // event that was read
  bool plans_changed_ = false;
  bool missed_ = true;
  bool has_moved_ = false;
  std::map<std::string, std::string> spoken_in_;  // the message that a member's last words are from
  std::map<std::string, Deadline> restless_;      // who may be about to end, and how long to look
  std::string heard_;                             // from events, of the one who is listened to
};

}  // namespace team
