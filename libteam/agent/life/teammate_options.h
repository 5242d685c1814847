// How a teammate is to live.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "libteam/base/clock.h"
#include "libteam/record/member_state.h"
#include "libteam/record/task.h"

namespace team {

// What a lead does when it has nothing to do.
struct IdleDecision {
  std::optional<std::string> prompt;  // more work
  std::optional<std::string> ending;  // why it ends, and with which exit status
  int status = 0;
};

struct TeammateOptions {
  std::optional<std::string> role;  // to join with, for a teammate that is no member yet
  std::string role_prompt;
  std::optional<std::string> prompt;  // the first piece of work
  std::optional<TaskId> task;         // claimed at the start, or nothing is started
  bool auto_claim = true;
  bool once = false;        // ends after one piece of work
  bool until_done = false;  // ends when the board has nothing left for it
  bool plan = false;        // tasks need an approved plan
  // For a lead. Called whenever it is about to idle.
  std::function<IdleDecision()> before_idle;
  // Called after each piece of work: true if it was the last.
  std::function<bool()> is_over;
  Deadline deadline = Deadline::never();
  std::optional<double> look_every;  // idling, seconds
  int waker = -1;                    // a descriptor that wakes it when it can be read from
  bool user_listens = false;         // hears what it says, so that it is not sent
  std::optional<double> idle_timeout;
  std::int64_t retries = 2;
  Start start;  // without the prompt and the task
  std::optional<std::string> model;
};

}  // namespace team
