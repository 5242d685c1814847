// The history of a team as intervals: work on tasks, states of members, messages.
//
// A value made from the events of the log, in their order, and from the tasks as they are now. Time never runs
// backward: an event with an earlier time than its predecessor counts as simultaneous. If the first events of a log are
// gone, intervals that were open by then start with the log. Open intervals end now.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/record/graph.h"
#include "libteam/record/member_state.h"

namespace team {

// A time in which a member held a task.
struct WorkInterval {
  enum class End { completed, failed, released, lost, running };  // lost: its owner died, or the log does not say

  TaskId task = 0;
  std::string subject;
  double from = 0, to = 0;
  End end = End::running;
  std::string reason;
};

std::string_view name_of(WorkInterval::End end);

// A time in which a member was in a state; never shutdown.
struct StateInterval {
  State state = State::active;
  double from = 0, to = 0;
  std::string reason;
};

struct MemberHistory {
  std::string name;
  std::vector<StateInterval> states;  // one after the other
  std::vector<WorkInterval> works;    // by start; they overlap where it held several tasks
  double worked = 0;                  // time with a task, without the time in plan_pending, paused and error
  double idle = 0, plan_pending = 0, paused = 0, error = 0;
};

struct Sent {
  double at = 0;
  std::string sender, recipient, type, summary;
};

struct TaskHistory {
  double worked = 0;
  double waited = 0;  // time in which it was ready and unclaimed
};

// The counts from `at` until the next moment.
struct BoardMoment {
  double at = 0;
  std::size_t open = 0, ready = 0, working = 0;  // tasks; working: in progress
};

struct History {
  double start = 0, end = 0;
  bool goes_on = false;                // a member runs or owns a task in progress: the end is now
  bool starts_in_the_middle = false;   // the first events are gone
  std::vector<MemberHistory> members;  // members of the team in its order, then other owners of tasks
  std::vector<Sent> messages;
  std::map<TaskId, TaskHistory> tasks;  // only tasks on the board
  std::vector<BoardMoment> moments;

  // The chain of dependent tasks with the longest total work; empty if nobody worked.
  std::vector<TaskId> critical_path;
  double critical_time = 0;

  double elapsed() const { return end - start; }
  double worked() const;
  // The average number of members at work; 0 if no time passed.
  double parallelism() const { return elapsed() > 0 ? worked() / elapsed() : 0; }
  double untaken() const;   // total time in which tasks were ready and unclaimed
  double idle_blocked = 0;  // total time in which members were idle while tasks were open and none was ready
};

// Computes the derived values: the sums of each member, the moments, the blocked time and the critical path.
// `open` and `ready` are intervals of tasks.
struct Interval {
  double from = 0, to = 0;
};
struct Waits {
  std::vector<Interval> open, ready;
};
void sum_up(History& history, const TaskGraph& board, const Waits& waits);

}  // namespace team
