#include "libteam/cli/tones.h"

namespace team {

using Tone = Output::Tone;

Tone tone_of(Status status) {
  switch (status) {
    case Status::pending: break;
    case Status::in_progress: return tone_of(TaskState::running);
    case Status::completed: return tone_of(TaskState::done);
    case Status::failed: return tone_of(TaskState::failed);
  }
  return tone_of(TaskState::ready);
}

Tone tone_of(TaskNote::Kind kind) {
  switch (kind) {
    case TaskNote::Kind::in_progress: return tone_of(TaskState::running);
    case TaskNote::Kind::ready: break;
    case TaskNote::Kind::blocked: return tone_of(TaskState::blocked);
    case TaskNote::Kind::failed: return tone_of(TaskState::failed);
  }
  return tone_of(TaskState::ready);
}

Tone tone_of(RequestStatus status) {
  if (status == RequestStatus::approved) return Tone::good;
  return status == RequestStatus::rejected ? Tone::bad : Tone::busy;
}

Tone tone_of_member(std::string_view state) {
  if (state == "dead" || state == "error") return Tone::bad;
  if (state == "active") return Tone::busy;
  if (state == "plan_pending" || state == "paused") return Tone::waiting;
  return state == "idle" || state == "running" ? Tone::good : Tone::faint;
}

Tone tone_of_event(std::string_view type) {
  if (type == "TASK_COMPLETED" || type.ends_with("_APPROVED")) return Tone::good;
  if (type == "TASK_FAILED" || type == "RUN_ERROR" || type.ends_with("_REJECTED") || type.ends_with("_PAUSED")) {
    return Tone::bad;
  }
  return type == "TASK_CLAIMED" ? Tone::busy : Tone::waiting;
}

}  // namespace team
