// The state of a member: `<name>.json` as a value. Its name and role are in the configuration of the team. Only the
// kernel knows whether its process runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/record/event.h"
#include "libteam/record/task.h"

namespace team {

enum class State { spawn, active, idle, plan_pending, paused, error, shutdown };

std::string_view name_of(State state);

// True if the member waits for work.
inline bool is_idle(State state) { return state == State::idle || state == State::paused; }

// How a teammate was started, so that team-resume(1) can restart it.
struct Start {
  std::vector<std::string> arguments;  // of teammate-run, after the name
  std::string directory;
  std::string mode;  // foreground, background, tmux
};

// The session of an agent that speaks the Agent Client Protocol: a restarted teammate loads it.
struct AgentSession {
  std::string command;  // of the agent; another one does not know the session
  std::string id;
  double usd = 0;  // its cost so far, as the agent reports it
};

struct MemberState {
  State state = State::spawn;
  double since = 0;
  std::string reason;
  std::optional<TaskId> task;
  std::string host;
  std::int64_t pid = 0;
  std::string run;
  std::optional<std::string> model;
  std::string usage = "{}";     // a JSON object, as text
  double worked = 0;            // seconds of work in all runs
  std::optional<double> until;  // the end of a pause, if its time is known
  std::optional<AgentSession> session;
  std::optional<std::string> pane, tmux;  // the tmux pane it runs in, and the server's socket
  bool resumable = true;                  // false: it finished, or was stopped on request
  Start start;
  std::string extra = "{}";
};

// The same for the whole state. A member that pauses until a known time has work to do then: it is not idle.
inline bool is_idle(const MemberState& state) { return is_idle(state.state) && !state.until; }

MemberState parse_member_state(std::string_view text, std::string_view file);
std::string to_file(const MemberState& state);

// `from` is none for the first state of a member.
Event member_state_event(std::optional<State> from, const MemberState& now);

}  // namespace team
