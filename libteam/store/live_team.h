// A view of a team for a person who watches it. It reads only the changes.
//
// The first look reads everything. Each later look reads the topics that the watcher reports, and the new events. No
// look takes a lock. Several changes between two looks cost as much as one.
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
  // `engine` and `board` outlive this. `reader` is the person or member who watches.
  LiveTeam(const Engine& engine, Board& board, Team team, std::string reader);

  // Begins to watch the team and its board. Call it before the first look.
  void watch(Watcher& watcher) const;

  // True if the team or the board was replaced since the last call. Then call watch() again.
  bool has_moved() { return std::exchange(has_moved_, false); }

  // look_at_all() reads everything, look() reads the changes. Throws not_found if the team is gone, and corrupt if its
  // configuration is broken; the rest is up to date then.
  void look_at_all();
  void look(const TeamChanges& changes);
  // True if the last look failed: the next one looks at everything.
  bool has_missed() const { return missed_; }
  // A member announces its shutdown before its life is over. Callers must look again shortly after.
  bool is_unsettled() const { return !restless_.empty(); }

  // Adds the latest words and actions of this member to the scene, and its words from now on. An empty name ends that.
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
