// The board: every change to tasks.
//
// Each verb is one step under the board's lock, so of any number of processes one wins and the others are told. What a
// verb returns is on the disk; what it throws changed nothing (but see Code::unknown). Where a person edits a file at
// the same moment, the person's edit stands and the verb is tried again on top of it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libteam/record/event.h"
#include "libteam/record/task.h"
#include "libteam/record/task_rules.h"
#include "libteam/record/team.h"
#include "libteam/store/board_view.h"
#include "libteam/store/files/index.h"
#include "libteam/store/files/roster.h"

namespace team {

// The rules of a board that the team sets.
struct BoardRules {
  Durability durability = Durability::power;
  double lock_timeout = 5;
  std::int64_t per_member = 1;  // 0: no limit
  std::int64_t most_tasks = 0;  // 0: no limit
  double lease = 0;             // seconds, 0: none
};

struct Changed {
  Task task;
  std::optional<std::string> owner_before;
  std::vector<Task> freed;  // those that waited for this one and are ready now
};

// What returns a task to the board without a change of the board: the death of a running member that holds one, and the
// end of a lease of somebody who is not running by us.
struct Lapses {
  std::vector<std::string> holders;  // running members
  std::int64_t lease_end = 0;        // the earliest; nanoseconds of the boot clock, 0: none
};

// What the tasks of a board are for one member.
struct Outlook {
  bool is_over = true;          // no present or future task can go to this member
  std::optional<TaskId> stuck;  // if it is over: an open task that needs a decision, or that is for others
};

class Board {
 public:
  // The team of a board, if it has one: `life_of` tells whether a member runs; the folder is null without a team.
  using LifeOf = std::function<Life(const std::string& member)>;
  struct Crew {
    std::string team;
    std::vector<std::string> members;
    LifeOf life_of = [](const std::string&) { return Life::unknown; };
    std::shared_ptr<const Folder> folder;
  };
  // `record` is told of each change, still under the board's lock, so that events stand in the order of the changes.
  using Record = std::function<void(const Actor& actor, const std::vector<Event>& events)>;
  // The hooks of the team; they run while nobody holds the lock.
  struct Hooked {
    // Before a change: throws if the hook refuses one of the events, which are made only if there is such a hook.
    using Events = std::function<std::vector<Event>()>;
    std::function<void(const Actor& actor, const std::string& hook, const Events& events)> ask;
    // After it: they hear of what was recorded.
    std::function<void()> tell;
    // The team has another folder from now on.
    std::function<void()> reopen;
  };
  // `path` is where the folder lies beneath the root.
  Board(const Root& root, std::string path, Folder folder, BoardRules rules, Crew crew, Record record, Hooked hooked);
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  // Ids in the order of the drafts; all are made or none. Throws permission_denied if a hook refuses one.
  std::vector<TaskId> create(std::vector<Draft> drafts, const Actor& actor);
  // Throws not_found; conflict (somebody has it, another run, another rev); blocked; busy; permission_denied;
  // invalid_state.
  Changed change(TaskId id, const TaskChange& wanted, const Actor& actor);
  // The change to in_progress, by itself.
  Task claim(TaskId id, const Actor& actor);
  // The next ready one: mine first, then those nobody has; by priority, then id. None if nothing is ready.
  std::optional<Changed> claim_next(const Actor& actor);
  void remove(TaskId id, const Actor& actor, std::optional<std::int64_t> if_rev);
  // Releases what dead owners hold and what leases have run out; gives the tasks as they are now.
  std::vector<Task> reclaim();
  // What earlier lives of this member left in progress: becomes this one's, or is released.
  enum class Recovery { take_over, release };
  std::vector<Task> recover(const Actor& actor, Recovery recovery);

  // Whether nobody works on a task and none is ready for any of these. If so, `then` is done before anything can
  // change.
  bool is_quiet(const std::vector<Member>& members, const std::function<void()>& then = {});
  // Those of the team who have tasks that are ready: for who looks at the board in their place.
  std::vector<std::string> owners_of_ready();
  // Takes time in proportion to the board, unless somebody works on a task that may come back to this member.
  Outlook outlook_for(const Actor& actor);
  bool is_over_for(const Actor& actor) { return outlook_for(actor).is_over; }

  // As of the last claim_next(), reclaim() or claim.
  const Lapses& lapses() const { return lapses_; }
  // Whether the member's process runs; unknown for one who is not in the team.
  Life life_of(const std::string& name) const;
  // The folder of its team; null without one.
  const std::shared_ptr<const Folder>& team_folder() const { return crew_.folder; }

  // Opens the folder that stands at the path of the board now, if it is another one: a board may be removed and made
  // again while somebody uses it. If none stands there, the old one stays open.
  enum class Place { same, another, missing };
  Place reopen();
  // The same for the folder of its team. Also reads who is a member now.
  Place reopen_team();

  // For looking only: takes no lock.
  const BoardView& view() const { return view_; }
  // Where a task lies, for a program that wants to read it.
  std::string path_of(TaskId id) const { return files_.folder().path_of(TaskFiles::file_of(id)); }
  const Folder& folder() const { return files_.folder(); }
  void watch(Watch& watch) const { watch.add(files_.folder()); }
  // Another number after each change, but those that somebody made in a file itself: for who is not told.
  std::int64_t changed_at() const { return files_.folder().mtime_ns(); }

 private:
  class Session;
  template <class Verb>
  auto under_lock(Verb verb, Index::Care care = Index::Care::usual);
  std::vector<TaskId> create_batch(const std::vector<Draft>& drafts, const Actor& actor);
  std::vector<Task> make_tasks(Session& session, const std::vector<Draft>& drafts, TaskId given,
                               const Actor& actor) const;
  void check_new(Session& session, const std::vector<Task>& tasks) const;
  std::vector<TaskId> enter(Session& session, const std::vector<Task>& tasks, const std::vector<Stamp>& stamps,
                            const Actor& actor);
  void return_ids(TaskId last, TaskId given) const;
  void reclaim_lost(Session& session, std::vector<Task>& released);
  std::optional<std::string> why_released(const Task& task) const;
  std::vector<Event> block(Session& session, const Task& task, const std::vector<TaskId>& dependents) const;
  void edit(Session& session, Task& task, const TaskChange& wanted, const Actor& actor) const;
  void start(Session& session, Task& task, const Actor& actor) const;
  void finish(Task& task, const TaskChange& wanted, const Actor& actor) const;
  Event completion(TaskId id, const TaskChange& wanted, const Actor& actor) const;

  const Root& root_;
  std::string path_;
  BoardRules rules_;
  Crew crew_;
  Lapses lapses_;
  Record record_;
  Hooked hooked_;
  TaskFiles files_;
  BoardView view_;
};

enum class Missing { refuse, make };

// The board of a team, or the root's default one. Throws not_found if it is missing and not to be made. Who has just
// opened the folder of the team gives it along.
Board open_board(const Root& root, const Team* team, double lock_timeout, Missing missing,
                 std::shared_ptr<const Folder> team_folder = nullptr);

}  // namespace team
