#include "libteam/store/life.h"

#include "libteam/base/clock.h"

namespace team {

std::optional<Event> LifeEngine::note_end(const std::string& member, const std::string& reason) const {
  auto state = state_of(member);
  if (!state) return std::nullopt;
  const State from = state->state;
  state->state = State::shutdown;
  state->reason = reason;
  state->since = now();
  state->task.reset();
  state->resumable = false;
  put_state(member, *state);
  return member_state_event(from, *state);
}

}  // namespace team
