// The effects of tool calls on a piece of work as a whole.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "libteam/agent/life/driver.h"

namespace team {

struct TurnState {
  Phase phase = Phase::work;
  bool wants_plan = false;                // the result is submitted to the lead
  bool is_gated = false;                  // see Work
  std::optional<TaskId> task;             // the current task
  std::optional<std::string> conclusion;  // ends the piece of work, with this result
  std::set<std::string> written_to;
  bool writes_to_lead = false;
  std::set<std::string> heard;        // types of the messages that were heard
  std::optional<std::string> paused;  // the message of the exchange limit
  bool finished = false;              // the run of the team is finished; never reset

  // Resets the state for another piece of work.
  void begin(const Work& work) {
    phase = work.phase;
    wants_plan = work.wants_plan;
    is_gated = work.is_gated;
    task = work.task ? std::optional(work.task->id) : std::nullopt;
    conclusion.reset();
    written_to.clear();
    writes_to_lead = false;
    heard.clear();
    paused.reset();
  }
};

}  // namespace team
