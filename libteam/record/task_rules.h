// The rules of tasks: the permission to change a task, and the effect of each change.
//
// Pure functions on values. The caller reads the tasks and the clocks, applies these rules, and writes the result. A
// check_ function throws if a rule forbids the change and has no other effect.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libteam/record/life.h"
#include "libteam/record/task.h"
#include "libteam/record/team.h"

namespace team {

// A wanted change of a task. Fields without a value stay as they are.
struct TaskChange {
  std::optional<std::string> subject, description, active_form;
  std::optional<std::string> owner, role, deliverable, check;  // "" clears
  std::optional<int> priority;
  std::vector<TaskId> add_blocked_by, remove_blocked_by;
  std::vector<TaskId> add_blocks;                                            // these tasks will wait for this one
  std::vector<std::pair<std::string, std::optional<std::string>>> metadata;  // no value: remove the key
  std::optional<Status> status;        // in_progress claims; pending releases, or reopens a failed task
  std::optional<std::string> result;   // with completed
  std::optional<std::string> reason;   // with failed and pending
  std::optional<Receipt> receipt;      // with completed: its gates have passed
  bool is_uncounted = false;           // with pending: the attempt does not count, and its reason replaces no other
  std::optional<std::int64_t> if_rev;  // conflict if the task has another rev
};

// The clock that leases count on, and the id of this boot; the id is empty if the system does not tell it.
struct BootClock {
  std::string boot;
  double seconds = 0;
};

bool has_id(const std::vector<TaskId>& ids, TaskId id);

// Throws usage for a result or a reason that would not be stored with the wanted status.
void check_texts(const TaskChange& change);
// Throws conflict.
void check_rev(const Task& task, const std::optional<std::int64_t>& wanted);
// Throws permission_denied if a draft is assigned to somebody else and the actor does not lead.
void check_drafts(const std::vector<Draft>& drafts, const Actor& actor);
// Throws invalid_state if the board would have more than `most` tasks; 0 means no limit.
void check_room(std::int64_t count, std::size_t added, std::int64_t most);
// Throws invalid_state for an ended task, conflict for a task that somebody has.
void check_claim(const Task& task, const Actor& actor);
// Throws blocked if `open`, the blockers that are not completed, is not empty.
void check_unblocked(const Task& task, const std::vector<TaskId>& open);
// Throws busy if the actor holds `most` tasks; 0 means no limit.
void check_capacity(const Actor& actor, const std::vector<TaskId>& held, std::int64_t most);
// Throws permission_denied or invalid_state. `waiting` are tasks that need this one: throws conflict.
void check_removal(const Task& task, const Actor& actor);
void check_not_needed(const Task& task, const std::vector<TaskId>& waiting);

// Makes tasks of the drafts: numbers them from `first` on and replaces the keys of a batch by ids. Throws not_found for
// an unknown key, usage for a key that is used twice, invalid_state if there are no more ids.
std::vector<Task> number_drafts(std::vector<Draft> drafts, TaskId first, const std::string& creator, double now);

// True if the actor works on the task. Each of its changes then renews the lease.
bool is_worked_on_by(const Task& task, const Actor& actor);
// Throws conflict if another run of the actor claimed the task. Only for a task that the actor works on.
void check_run(const Task& task, const Actor& actor);
// Sets the fields that need no other task: all but the status and the added blockers. Throws not_found,
// permission_denied, invalid_state.
void edit_fields(Task& task, const TaskChange& wanted, const Actor& actor);
// The actor becomes the owner and works on the task.
void start_work(Task& task, const Actor& actor, double now, std::optional<Lease> lease);
// The task becomes pending and has no owner.
void return_to_board(Task& task, const std::optional<std::string>& reason);
// The moves to completed, failed and pending. Throws invalid_state, permission_denied, or conflict for another run.
void finish_work(Task& task, const TaskChange& wanted, const Actor& actor, double now);
// Counts a change.
void count_change(Task& task, double now);

// The reason to release a task whose owner cannot be working on it; none if the owner may be. Reads the clock only if a
// lease decides.
std::optional<std::string> why_lost(const Task& task, Life life, const std::function<BootClock()>& clock);
// The lease of a claim; none if `seconds` is 0. Reads the clock only if there is a lease.
std::optional<Lease> make_lease(double seconds, const std::function<BootClock()>& clock);

// True if the member may claim this ready task.
bool may_take(const Task& task, const std::string& member, const std::optional<std::string>& role);
// True if the task, which has not ended, may become a task for this actor: a task in progress may be given back.
bool may_come_to(const Task& task, const Actor& actor);

}  // namespace team
