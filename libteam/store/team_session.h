// What an agent works with: its team, the board and the mail, and who it is there.
//
// An agent outlives many changes of its team. refresh() looks whether the configuration is another one by now and then
// opens everything anew, so that a member who joined later can be written to and a new limit holds. The same happens if
// the store was removed and made again. A board that was removed is not made anew: whoever took it away (git stash) may
// bring it back.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libteam/record/team.h"
#include "libteam/store/board.h"
#include "libteam/store/files/root.h"
#include "libteam/store/files/roster.h"
#include "libteam/store/life.h"
#include "libteam/store/mail.h"
#include "libteam/store/membership.h"
#include "libteam/store/task_operations.h"
#include "libteam/store/watcher.h"

namespace team {

class TeamSession {
 public:
  // `root` outlives this.
  TeamSession(const Root& root, std::string team, Actor self, double lock_timeout);
  TeamSession(const TeamSession&) = delete;
  TeamSession& operator=(const TeamSession&) = delete;

  // Throws not_found if the team is no more.
  void refresh();
  // Whether refresh() would find nothing new. False if the team is no more.
  bool is_current() const;
  // False if the board was removed, as of the last refresh(): then board() is the one that was there.
  bool has_board() const { return has_board_; }

  const Root& root() const { return root_; }
  const Roster& roster() const { return roster_; }
  const Team& team() const { return parts_->team; }
  Board& board() const { return parts_->board; }
  const Mail& mail() const { return parts_->mail; }
  // The same for another thread: refresh() does not end it.
  std::shared_ptr<const Mail> shared_mail() const { return {parts_, &parts_->mail}; }
  // Who lives in the team, as of the last refresh().
  std::shared_ptr<const LifeEngine> lives() const { return open_lives(board()); }
  // Who acts here; its role is what the configuration says, once it is a member.
  const Actor& self() const { return self_; }
  double lock_timeout() const { return lock_timeout_; }
  const Mailbox& mailbox() const { return mail().mailbox(self_.name); }
  // Changes of tasks in its name; good until refresh().
  TaskOperations tasks() const { return {board(), &mail(), &team(), self_}; }
  // What it adds and removes is done by self().
  Membership membership() const { return {mail(), self_}; }
  // A new watcher of everything in the team.
  std::unique_ptr<Watcher> watch_team() const;
  // What programs get that this one runs, so that our commands work in them without options.
  std::vector<std::pair<std::string, std::optional<std::string>>> environment() const;
  // Of the members those whose process runs, without the lead.
  std::vector<Member> running() const;

 private:
  struct Parts {
    Parts(const Root& root, Team team, double lock_timeout, Missing missing);
    Team team;
    Board board;
    Mail mail;
  };

  const Root& root_;
  std::string name_;
  Actor self_;
  double lock_timeout_;
  Roster roster_;
  std::string version_;
  bool has_board_ = true;
  std::shared_ptr<Parts> parts_;
};

}  // namespace team
