// The effects of tool calls on a piece of work as a whole.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "libteam/agent/life/driver.h"

namespace team {

struct TurnState {
  Phase phase = Phase::work;
  bool wants_plan = false;                // what comes of it is put to the lead
  bool is_gated = false;                  // see Work
  std::optional<TaskId> task;             // at hand
  std::optional<std::string> conclusion;  // ends the piece of work, with this result
  std::set<std::string> written_to;
  std::set<std::string> heard;        // types of messages
  std::optional<std::string> paused;  // the exchange limit, and what it said
  bool finished = false;              // the run of the team; stays

  // Another piece of work.
  void begin(const Work& work) {
    phase = work.phase;
    wants_plan = work.wants_plan;
    is_gated = work.is_gated;
    task = work.task ? std::optional(work.task->id) : std::nullopt;
    conclusion.reset();
    written_to.clear();
    heard.clear();
    paused.reset();
  }
};

}  // namespace team
