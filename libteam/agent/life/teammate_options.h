// The options of a teammate.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "libteam/base/clock.h"
#include "libteam/record/budget.h"
#include "libteam/record/member_state.h"
#include "libteam/record/task.h"

namespace team {

class MemberTree;
class StepOrder;

// The next step of a lead that has nothing to do.
struct IdleDecision {
  std::optional<std::string> prompt;  // more work
  std::optional<std::string> ending;  // ends the run for this reason, with this exit status
  int status = 0;
};

struct TeammateOptions {
  std::optional<std::string> role;  // the role to join with, if it is not a member yet
  std::string role_prompt;
  std::optional<std::string> prompt;  // the first piece of work
  std::optional<TaskId> task;         // claimed at the start; if that fails, nothing starts
  bool auto_claim = true;
  bool once = false;        // ends after one piece of work
  bool until_done = false;  // ends when no task can go to it any more
  bool plan = false;        // tasks need an approved plan
  // For a lead: called before it idles.
  std::function<IdleDecision()> before_idle;
  // Called after each piece of work: true if it was the last.
  std::function<bool()> is_over;
  Deadline deadline = Deadline::never();
  std::optional<double> look_every;  // while idle, seconds
  int waker = -1;                    // a descriptor that wakes it when it is readable
  bool user_listens = false;         // the user hears the driver directly, so its answers are not sent
  std::optional<double> idle_timeout;
  std::int64_t retries = 2;
  Budget budget;                     // of this member, in all its runs
  std::string quota;                 // members with the same quota pause together; empty: none
  const MemberTree* tree = nullptr;  // outlives the teammate; none: it works in no tree
  StepOrder* order = nullptr;        // outlives the teammate; none: it is neither recorded nor replayed
  Start start;                       // without the prompt and the task
  std::optional<std::string> model;
};

}  // namespace team
