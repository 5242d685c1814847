// The hooks of Claude Code: a session that a person has open becomes a member of the team.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "libteam/cli/context.h"

namespace team {

struct HookCall {
  std::string event;  // SessionStart, PostToolUse, …, or Doorbell
  pid_t client = 0;   // 0: the nearest ancestor that is no shell
  std::string input;  // the JSON object that the client wrote
};

// What the client does with the output of the hook: 0 nothing or adds it, 2 wakes up or is refused.
enum class HookEnd { done = 0, wake = 2 };

// Without a store or a team it does nothing: the settings may be those of all projects. Throws usage for an unknown
// event.
HookEnd run_claude_hook(Context& context, const HookCall& call);

// The object "hooks" of settings.json, as an object with that key.
std::string claude_hook_settings();

}  // namespace team
