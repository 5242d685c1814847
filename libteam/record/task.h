// A task: what is to be done, who has it, what it waits for.
//
// Pure values and their JSON; the rules that need no other task. A file that a person wrote may leave out all but the
// subject. Keys that we do not know are kept in `extra` and written back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace team {

using TaskId = std::int64_t;

// The largest id a board can hold; beyond it a board is full.
inline constexpr TaskId kLargestTaskId = 16'777'216;

enum class Status { pending, in_progress, completed, failed };

std::string_view name_of(Status status);
std::optional<Status> parse_status(std::string_view text);

// completed or failed: nobody works on it any more.
inline bool has_ended(Status status) { return status == Status::completed || status == Status::failed; }

// The moves of a task: claim, complete, fail, release and reclaim, reopen.
bool may_move(Status from, Status to);

inline constexpr int kHighestPriority = 2;

// When a claim by somebody who is not our process runs out: on the boot clock of one boot of one machine, so that
// neither a clock that jumps nor a restart can stretch it.
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
  std::string metadata = "{}";  // a JSON object, as text
  std::string extra = "{}";     // the keys we do not know, as a JSON object
};

// What a view of a task shows beside what is stored.
struct TaskLinks {
  std::vector<TaskId> blocks;
  std::vector<TaskId> open_blockers;
};

// `file` is the subject of messages. Throws corrupt, with line and column where they are known.
Task parse_task(std::string_view text, TaskId id, std::string_view file);

// As it lies on disk: indented by 2.
std::string to_file(const Task& task);

// One line for `--json`.
std::string to_line(const Task& task, const TaskLinks& standing);

// Sets one key of the metadata, to JSON if `value` is JSON and to a string otherwise; without a value removes it.
void set_metadata(Task& task, const std::string& key, const std::optional<std::string>& value);

// A task to be made, as `task-create` and a line of its batch give it.
struct Draft {
  std::string where;  // "line 3", for messages
  std::string key;    // a name for later lines of the same batch
  std::vector<std::string> blocked_by_keys;
  Task task;  // what the board itself sets is not set yet
};

// One line of a batch. Throws usage with `where` in front, also for a key that resembles a known one; other unknown
// keys are kept.
Draft parse_draft(std::string_view line, std::string_view where);

// Refuses (usage) what no task may have: an empty subject, a priority out of range, a role or owner that is no name, a
// deliverable that leads out of the root.
void check_task(const Task& task);

// A number for the name of a member or a role: the same text, the same number; never 0.
std::uint64_t hash_name(std::string_view name);

}  // namespace team
