// The colour of each state, the same in every list, page and picture.
#pragma once

#include <string_view>

#include "libteam/cli/output.h"
#include "libteam/record/request.h"
#include "libteam/record/status.h"
#include "libteam/record/task.h"
#include "libteam/record/team_view.h"

namespace team {

constexpr Output::Tone tone_of(TaskState state) {
  switch (state) {
    case TaskState::running: return Output::Tone::busy;
    case TaskState::failed:
    case TaskState::broken: return Output::Tone::bad;
    case TaskState::ready: return Output::Tone::plain;
    case TaskState::blocked: return Output::Tone::waiting;
    case TaskState::done: return Output::Tone::good;
  }
  return Output::Tone::plain;
}

// A pending task has the colour of a ready one: its blockers are not asked for.
Output::Tone tone_of(Status status);
Output::Tone tone_of(TaskNote::Kind kind);
Output::Tone tone_of(RequestStatus status);

// The state of a member, as MemberStatus has it.
Output::Tone tone_of_member(std::string_view state);
// The type of an event.
Output::Tone tone_of_event(std::string_view type);

}  // namespace team
