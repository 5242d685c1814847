// A task: its work, owner, status and blockers.
//
// Pure values, their JSON, and the rules that need no other task. A file that a person wrote needs only the subject.
// Unknown keys are kept in `extra` and written back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/record/receipt.h"

namespace team {

using TaskId = std::int64_t;

// The largest id on a board. A board that has used it is full.
inline constexpr TaskId kLargestTaskId = 16'777'216;

enum class Status { pending, in_progress, completed, failed };

std::string_view name_of(Status status);
std::optional<Status> parse_status(std::string_view text);

// True for completed and failed.
inline bool has_ended(Status status) { return status == Status::completed || status == Status::failed; }

// True for the changes of status that a task allows: claim, complete, fail, release and reclaim, reopen.
bool may_move(Status from, Status to);

inline constexpr int kHighestPriority = 2;

// The time limit of a claim by a process that teamkit did not start. It counts on the boot clock of one boot of one
// machine, so neither a jump of the wall clock nor a reboot can prolong it.
struct Lease {
  std::string boot;
  double until = 0;
};

struct Task {
  TaskId id = 0;
  std::string subject;
  std::string description;
  std::string active_form;
  Status status = Status::pending;
  std::optional<std::string> owner;
  std::vector<TaskId> blocked_by;
  int priority = 0;
  std::optional<std::string> role;
  std::string created_by;
  double created_at = 0;
  double updated_at = 0;
  std::optional<double> claimed_at;
  std::optional<double> completed_at;
  std::optional<std::string> result;
  std::optional<std::string> deliverable;
  std::int64_t attempts = 0;
  std::optional<std::string> error;
  std::optional<std::string> run;
  std::int64_t rev = 1;
  std::optional<Lease> lease;
  std::optional<std::string> check;  // a shell command that must succeed before the task completes
  // Of work in a tree of a repository; see landing_rules.h.
  std::optional<std::string> base;  // the commit that this attempt began with
  std::optional<Offer> offer;
  std::optional<Receipt> landing;  // the intent
  std::optional<Receipt> receipt;
  std::string metadata = "{}";  // a JSON object, as text
  std::string extra = "{}";     // unknown keys, as a JSON object
};

// The links of a task to its dependents and open blockers, which are computed and not stored.
struct TaskLinks {
  std::vector<TaskId> blocks;
  std::vector<TaskId> open_blockers;
};

// `file` is the subject of messages. Throws corrupt, with line and column if they are known.
Task parse_task(std::string_view text, TaskId id, std::string_view file);

// The contents of the file: indented by 2.
std::string to_file(const Task& task);

// One line for `--json`.
std::string to_line(const Task& task, const TaskLinks& links);

// Sets one key of the metadata, to JSON if `value` is JSON and to a string otherwise. Without a value, removes the key.
void set_metadata(Task& task, const std::string& key, const std::optional<std::string>& value);

// A new task, from the arguments of `task-create` or from a line of its batch.
struct Draft {
  std::string where;  // "line 3", for messages
  std::string key;    // a name for later lines of the same batch
  std::vector<std::string> blocked_by_keys;
  Task task;  // without the fields that the board sets
};

// Parses one line of a batch. Throws usage with `where` in front, also for a key that resembles a known one. Other
// unknown keys are kept.
Draft parse_draft(std::string_view line, std::string_view where);

// Throws usage for an empty subject, a priority out of range, a role or owner that is not a name, or a deliverable
// outside the root.
void check_task(const Task& task);

// A hash of the name of a member or role; never 0.
std::uint64_t hash_name(std::string_view name);

}  // namespace team
