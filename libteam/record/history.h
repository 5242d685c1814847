// What a team did, as intervals: who worked on which task and when, who waited, what was said.
//
// A value made from the events of the log, in their order, and from the tasks as they are now. Time never runs back: an
// event whose clock is behind the one before it counts as of the same moment. Of a log whose first events are gone,
// what was going on by then starts with the log. What still goes on ends now.
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

// A member held a task.
struct Stint {
  enum class End { completed, failed, released, lost, running };  // lost: its owner died, or nothing tells

  TaskId task = 0;
  std::string subject;
  double from = 0, to = 0;
  End end = End::running;
  std::string reason;
};

std::string_view name_of(Stint::End end);

// A member was in a state; never shutdown.
struct Stay {
  State state = State::active;
  double from = 0, to = 0;
  std::string reason;
};

struct MemberPast {
  std::string name;
  std::vector<Stay> stays;   // one after the other
  std::vector<Stint> works;  // by start; they overlap where it held several tasks
  double worked = 0;         // held a task and did not wait for a plan, a pause or an error to end
  double idle = 0, plan_pending = 0, paused = 0, error = 0;
};

struct Sent {
  double at = 0;
  std::string sender, recipient, type, summary;
};

struct TaskPast {
  double worked = 0;
  double waited = 0;  // ready, and nobody had taken it
};

// From here on, until the next one.
struct BoardMoment {
  double at = 0;
  std::size_t open = 0, ready = 0, working = 0;  // tasks; working: that somebody held
};

struct History {
  double start = 0, end = 0;
  bool goes_on = false;               // somebody lives or holds a task: the end is now
  bool starts_in_the_middle = false;  // the first events are gone
  std::vector<MemberPast> members;    // those of the team in its order, then others who held a task
  std::vector<Sent> messages;
  std::map<TaskId, TaskPast> tasks;  // those on the board
  std::vector<BoardMoment> moments;

  // The chain of tasks, each waiting for the one before, whose work took longest in all; empty if nobody worked.
  std::vector<TaskId> critical_path;
  double critical_time = 0;

  double elapsed() const { return end - start; }
  double worked() const;
  // How many worked on average; 0 if no time went by.
  double parallelism() const { return elapsed() > 0 ? worked() / elapsed() : 0; }
  double untaken() const;   // of all tasks: ready, and nobody had taken them
  double idle_blocked = 0;  // of all members: idle while tasks were open and none was ready
};

// What follows from the rest: fills in the sums of each member, the moments, the time blocked and the critical path.
// `open` and `ready` are intervals of tasks.
struct Interval {
  double from = 0, to = 0;
};
struct Waits {
  std::vector<Interval> open, ready;
};
void sum_up(History& history, const TaskGraph& board, const Waits& waits);

}  // namespace team
