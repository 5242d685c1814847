// The board: every change of tasks.
//
// Each function is one transaction of the engine, so of any number of processes one wins and the others are refused.
// The change is durable when a function returns, and a function that throws changed nothing (but see Code::unknown). If
// a person edits a task at the same moment, the edit stands and the function is tried again on top of it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libteam/record/event.h"
#include "libteam/record/task.h"
#include "libteam/record/task_rules.h"
#include "libteam/record/team.h"
#include "libteam/store/board_engine.h"
#include "libteam/store/board_team.h"
#include "libteam/store/board_view.h"
#include "libteam/store/landing_judge.h"

namespace team {

// The rules of a board that its team sets.
struct BoardRules {
  std::int64_t per_member = 1;  // 0: no limit
  std::int64_t most_tasks = 0;  // 0: no limit
  double lease = 0;             // seconds, 0: none
  // Whether the root has such a file: a task with a deliverable cannot be completed without it.
  std::function<bool(const std::string& path)> has_file = [](const std::string&) { return true; };
  std::string check;                          // of tasks that have none of their own; empty: none
  std::shared_ptr<const LandingJudge> judge;  // none: a landing of a killed process stays
};

// The rules in the settings of a team; the defaults without one.
BoardRules rules_of(const Team* team);

struct Changed {
  Task task;
  std::optional<std::string> owner_before;
  std::vector<Task> freed;  // tasks that waited for this one and are ready now
};

// A task also returns to the board if its owner dies or its lease ends. A waiting caller watches these owners and this
// lease. Only owners that teamkit did not start have a lease.
struct Lapses {
  std::vector<std::string> holders;  // running members
  std::int64_t lease_end = 0;        // the earliest; nanoseconds of the boot clock, 0: none
};

// The tasks of a board as one member sees them.
struct Outlook {
  bool is_over = true;          // no present or future task can go to this member
  std::optional<TaskId> stuck;  // if it is over: an open task that needs a decision, or that is for others
};

class Board {
 public:
  Board(std::shared_ptr<BoardEngine> engine, std::shared_ptr<BoardTeam> team, BoardRules rules);
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  // Ids in the order of the drafts; all are made or none. Throws permission_denied if a hook refuses one.
  std::vector<TaskId> create(std::vector<Draft> drafts, const Actor& actor);
  // Throws not_found; conflict (somebody has it, another run, another rev); blocked; busy; permission_denied;
  // invalid_state.
  Changed change(TaskId id, const TaskChange& wanted, const Actor& actor);
  // The change to in_progress alone.
  Task claim(TaskId id, const Actor& actor);
  // The next ready task: the actor's own first, then those without an owner; by priority, then id. None if nothing is
  // ready.
  std::optional<Changed> claim_next(const Actor& actor);
  void remove(TaskId id, const Actor& actor, std::optional<std::int64_t> if_rev);
  // Releases the tasks of dead owners and the tasks whose lease has ended; returns them as they are now.
  std::vector<Task> reclaim();
  // Tasks that earlier runs of this member left in progress: this run takes them over, or they are released.
  enum class Recovery { take_over, release };
  std::vector<Task> recover(const Actor& actor, Recovery recovery);

  // Work in a tree of a repository; see record/landing_rules.h.
  //
  // The attempt of the actor begins with this commit; none if it works in no tree.
  Task begin_work(TaskId id, const std::optional<std::string>& base, const Actor& actor);
  // Before the caller locks the branch: the hook task-completed may refuse the landing. Throws permission_denied.
  void ask_landing(TaskId id, const Offer& offer, const Receipt& landing, const Actor& actor);
  // The branch is about to move. When this returns, the landing survives any crash.
  Task announce_landing(TaskId id, const Offer& offer, const Receipt& landing, const Actor& actor);
  // Completes the task if its branch has moved; otherwise its owner works on. Does nothing if the task has another
  // landing, or none, by now.
  Changed end_landing(TaskId id, const Receipt& landing, bool landed);
  // Calls `tell` whenever this board ends the landing of a killed process and tasks became ready by it. It must not
  // throw.
  void tell_of_landed(std::function<void(const Changed&)> tell) { tell_of_landed_ = std::move(tell); }
  // The check that a task must pass; empty if there is none.
  std::string check_of(const Task& task) const;
  const BoardRules& rules() const { return rules_; }

  // Whether no task is in progress and none is ready for these members. If so, calls `then` before anything can change.
  bool is_quiet(const std::vector<Member>& members, const std::function<void()>& then = {});
  // The members with ready tasks, for a caller that watches the board for them.
  std::vector<std::string> owners_of_ready();
  // Takes time in proportion to the board, unless somebody works on a task that may come back to this member.
  Outlook outlook_for(const Actor& actor);
  bool is_over_for(const Actor& actor) { return outlook_for(actor).is_over; }

  // As of the last claim(), claim_next() or reclaim().
  const Lapses& lapses() const { return lapses_; }
  // Whether the member's process runs; unknown for somebody outside the team.
  Life life_of(const std::string& name) const;

  // A board may be removed and made again while it is in use. reopen() opens the new board. If there is none, the old
  // board stays open. reopen_team() does the same for the team, and also reads the members again.
  using Place = BoardEngine::Place;
  Place reopen() { return engine_->reopen(); }
  Place reopen_team() { return team_->reopen(); }

  // For reading only.
  const BoardView& view() const { return view_; }
  // Where a program can read the task.
  std::string path_of(TaskId id) const { return engine_->path_of(id); }
  // The name of the board in messages.
  std::string path() const { return engine_->path(); }
  // False if another board, or none, stands at its path by now.
  bool is_in_place() const { return engine_->is_in_place(); }
  // Each change by a Board gives another number. For callers that cannot watch the board.
  std::int64_t changed_at() const { return engine_->version(); }
  // The lives of its team; null without a team.
  std::shared_ptr<const LifeEngine> lives() const { return team_->lives(); }

  // For the watcher of the same store, which knows their types.
  const BoardEngine& engine() const { return *engine_; }
  const BoardTeam& team() const { return *team_; }

 private:
  struct Afterwards;
  template <class Step>
  auto transact(BoardScope scope, Step step);
  EventOrigin origin_of(const Actor& actor) const;
  void record(BoardTransaction& transaction, const Actor& actor, const std::vector<Event>& events);
  void check_new(BoardTransaction& transaction, const std::vector<Task>& tasks) const;
  std::optional<Changed> try_change(BoardTransaction& transaction, TaskId id, const TaskChange& wanted,
                                    const Actor& actor);
  std::optional<Changed> try_claim_next(const Actor& actor);
  Changed try_end_landing(BoardTransaction& transaction, TaskId id, const Receipt& landing, bool landed);
  void judge_landing(TaskId id);
  bool judge_found_landings();
  std::vector<Task> freed_by(BoardTransaction& transaction, const Task& task, std::vector<Event>& events);
  void check_free(BoardTransaction& transaction, const Actor& actor) const;
  void reclaim_lost(BoardTransaction& transaction, std::vector<Task>& released);
  std::vector<Event> block(BoardTransaction& transaction, const Task& task, const std::vector<TaskId>& dependents);
  void edit(BoardTransaction& transaction, Task& task, const TaskChange& wanted, const Actor& actor) const;
  void start(BoardTransaction& transaction, Task& task, const Actor& actor) const;
  void take(Task& task, const Actor& actor) const;
  void finish(Task& task, const TaskChange& wanted, const Actor& actor) const;
  std::vector<Event> completion(TaskId id, const TaskChange& wanted, const Actor& actor) const;

  std::shared_ptr<BoardEngine> engine_;
  std::shared_ptr<BoardTeam> team_;
  BoardRules rules_;
  BoardView view_;
  Lapses lapses_;
  std::function<void(const Changed&)> tell_of_landed_;
  std::vector<TaskId> landings_;          // that the last look at lost tasks found
  std::vector<RecordedEvents> recorded_;  // the hooks have not heard of these yet
};

}  // namespace team
