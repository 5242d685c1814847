// Every operation of the toolkit, in the name of one caller: on tasks, messages, requests, members and settings.
//
// Commands, teammates, the tools of models and the server are doors to a session and contain no rules. Each operation
// has one implementation, and so one meaning of each failure. A session without a team has a board only.
//
// A session outlives many changes of its team. refresh() opens everything again if the configuration changed, so that
// new members can get messages and new limits hold. The same happens if the store was removed and made again. It never
// makes a removed board again, because the program that removed it (git stash) may bring it back.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libteam/record/budget.h"
#include "libteam/record/role.h"
#include "libteam/record/team.h"
#include "libteam/store/board.h"
#include "libteam/store/engine.h"
#include "libteam/store/life.h"
#include "libteam/store/mail.h"
#include "libteam/store/mail_operations.h"
#include "libteam/store/membership.h"
#include "libteam/store/quota_ledger.h"
#include "libteam/store/status.h"
#include "libteam/store/task_operations.h"
#include "libteam/store/task_waiting.h"
#include "libteam/store/watcher.h"

namespace team {

class TeamSession {
 public:
  // For a long time: opens all parts of the team, and makes its board if that is missing. `engine` outlives this.
  TeamSession(const Engine& engine, std::string team, Actor self);
  // For one operation: on a team that the caller has found, or on the default board. Each part is opened when it is
  // first needed.
  TeamSession(const Engine& engine, std::shared_ptr<const FoundTeam> team, Actor self, Missing missing);
  TeamSession(const TeamSession&) = delete;
  TeamSession& operator=(const TeamSession&) = delete;

  // Throws not_found if the team was removed.
  void refresh();
  // True if refresh() would find no change. False if the team was removed.
  bool is_current() const;
  // Opens the team again after it was removed. Waits some seconds for a new one, then throws not_found.
  void reopen(const Deadline& deadline);
  // False if the last refresh() found no board: then board() is the removed one.
  bool has_board() const { return has_board_; }

  const Engine& engine() const { return engine_; }
  // Throws not_found without a team.
  const Team& team() const;
  // Null without a team.
  const Team* team_or_none() const { return parts_->found ? &parts_->found->team : nullptr; }
  // The member that acts. Once it is a member, its role is that of the configuration.
  const Actor& self() const { return self_; }
  // Throws permission_denied unless the actor is the lead or the user.
  void require_lead(std::string_view what) const;
  // Throws permission_denied unless this user has made or accepted the team: `what` would run commands from its store.
  void require_trust(std::string_view what) const;

  // Operations in the name of the actor. Each object is good until refresh() or reopen().
  TaskOperations tasks() const { return {board(), mail_or_none(), team_or_none(), self_}; }
  MailOperations messages() const { return {mail(), self_}; }
  Membership membership() const { return {mail(), self_}; }
  QuotaLedger quotas() const { return {mail(), self_}; }
  // Sets a setting, or unsets it; for the lead.
  void set(const std::string& key, const std::optional<std::string>& value);
  // Adds or replaces roles and sets limits for a new run, and opens a finished team again. Changes nothing if nothing
  // is to be changed.
  void prepare_run(const std::vector<Role>& roles, const Budget& budget);
  // Marks the team as finished. The caller stopped the teammates.
  void finish(const std::optional<std::string>& summary);
  // Puts a plan to the lead; the lead puts its own to the user. Returns the id of the request. Throws not_found for a
  // task that does not exist.
  std::string submit_plan(OutgoingMessage outgoing) const;

  // Changes of tasks that concern no other member; see Board.
  Task claim(TaskId id) const { return board().claim(id, self_); }
  // Claims the next ready task, if there is one; while an owner is dying, waits for its end (at most a second).
  std::optional<Changed> claim_next() const { return claim_next_or_settle(board(), self_); }
  std::vector<Task> reclaim() const { return board().reclaim(); }
  void remove(TaskId id, std::optional<std::int64_t> if_rev) const { board().remove(id, self_, if_rev); }

  // These wait; see task_waiting.h and team_waiting.h.
  ClaimEnd wait_next(const WaitRules& rules) const;
  WaitEnd wait_ended(const std::vector<TaskId>& ids, const WaitRules& rules, const TaskVisits& visits) const;
  WaitEnd wait_all_ended(const WaitRules& rules, const TaskVisits& visits) const;
  WaitEnd wait_idle(const std::string& member, const WaitRules& rules) const;
  WaitEnd wait_all_idle(const WaitRules& rules) const;
  // Waits until `arrived` returns true. It calls `arrived` whenever the mailbox of the actor may have changed, also if
  // the team was removed and made again. It also does so when the pipe behind the descriptor `reader` has lost its
  // reader (-1: none). False if the deadline passed.
  bool wait_mail(const Deadline& deadline, int reader, const std::function<bool(const Mailbox& mailbox)>& arrived);
  // Waits until a message that the actor sent is processed, also if the team is removed and made again. False if the
  // deadline passed.
  bool wait_processed(const Deadline& deadline, const std::string& message_id);

  // Looks without a lock.
  const BoardView& view() const { return board().view(); }
  TeamStatus status(const BoardView::Report& broken) const;
  std::vector<MemberStatus> members() const;
  std::vector<Reason> explain(TaskId id) const;
  std::vector<std::string> digest() const;

  // The parts, for callers that watch them or run for a long time.
  Board& board() const;
  // Throws not_found without a team.
  const Mail& mail() const;
  const Mail* mail_or_none() const { return parts_->found ? &mail() : nullptr; }
  // The same for another thread: refresh() does not end it.
  std::shared_ptr<const Mail> shared_mail() const { return {parts_, &mail()}; }
  const Mailbox& mailbox() const { return mail().mailbox(self_.name); }
  // The lives of the members, as of the last refresh().
  std::shared_ptr<const LifeEngine> lives() const { return board().lives(); }
  // The running members, without the lead.
  std::vector<Member> running() const;
  // A new watcher of everything in the team.
  std::unique_ptr<Watcher> watch_team() const;
  // The environment for programs that this member runs: teamkit commands need no options in them.
  std::vector<std::pair<std::string, std::optional<std::string>>> environment() const;

 private:
  // One opened state of the team.
  struct Parts {
    std::shared_ptr<const FoundTeam> found;  // null without a team
    std::unique_ptr<Board> board;
    std::optional<Mail> mail;  // refers to found->team
  };
  void open(FoundTeam found);
  static const Mail& open_mail(const Engine& engine, Parts& parts);
  static void tell_of_landed(const Engine& engine, Parts& parts);
  const Mailbox& find_mailbox_again(const Deadline& deadline);

  const Engine& engine_;
  std::string name_;  // empty without a team
  Actor self_;
  Missing missing_ = Missing::make;
  std::string version_;
  bool has_board_ = true;
  std::shared_ptr<Parts> parts_;
};

}  // namespace team
