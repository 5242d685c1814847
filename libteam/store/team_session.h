// The operations of one member on its team: tasks, messages, members.
//
// A session outlives many changes of its team. refresh() opens everything again if the configuration changed, so that
// members who joined later can get messages and new limits hold. The same happens if the store was removed and made
// again. A board that was removed is not made again, because its remover (git stash) may bring it back.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libteam/record/team.h"
#include "libteam/store/board.h"
#include "libteam/store/engine.h"
#include "libteam/store/life.h"
#include "libteam/store/mail.h"
#include "libteam/store/mail_operations.h"
#include "libteam/store/membership.h"
#include "libteam/store/task_operations.h"
#include "libteam/store/watcher.h"

namespace team {

class TeamSession {
 public:
  // `engine` outlives this.
  TeamSession(const Engine& engine, std::string team, Actor self);
  TeamSession(const TeamSession&) = delete;
  TeamSession& operator=(const TeamSession&) = delete;

  // Throws not_found if the team was removed.
  void refresh();
  // True if refresh() would find no change. False if the team was removed.
  bool is_current() const;
  // False if the last refresh() found no board: then board() is the removed one.
  bool has_board() const { return has_board_; }

  const Engine& engine() const { return engine_; }
  const Team& team() const { return parts_->team; }
  Board& board() const { return parts_->board; }
  const Mail& mail() const { return parts_->mail; }
  // The same for another thread: refresh() does not end it.
  std::shared_ptr<const Mail> shared_mail() const { return {parts_, &parts_->mail}; }
  // The lives of the members, as of the last refresh().
  std::shared_ptr<const LifeEngine> lives() const { return board().lives(); }
  // The member that acts. Once it is a member, its role is that of the configuration.
  const Actor& self() const { return self_; }
  const Mailbox& mailbox() const { return mail().mailbox(self_.name); }
  // Changes of tasks in its name; good until refresh().
  TaskOperations tasks() const { return {board(), &mail(), &team(), self_}; }
  // Messages, requests and answers in its name; good until refresh().
  MailOperations messages() const { return {mail(), self_}; }
  // Adds and removes members in its name; good until refresh().
  Membership membership() const { return {mail(), self_}; }
  // A new watcher of everything in the team.
  std::unique_ptr<Watcher> watch_team() const;
  // The environment for programs that this member runs: teamkit commands need no options in them.
  std::vector<std::pair<std::string, std::optional<std::string>>> environment() const;
  // The running members, without the lead.
  std::vector<Member> running() const;

 private:
  struct Parts {
    Parts(const Engine& engine, Team team, Missing missing);
    Team team;
    Board board;
    Mail mail;
  };

  const Engine& engine_;
  std::string name_;
  Actor self_;
  std::string version_;
  bool has_board_ = true;
  std::shared_ptr<Parts> parts_;
};

}  // namespace team
