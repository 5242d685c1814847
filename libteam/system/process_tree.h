// The processes beneath a process, read from /proc.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string_view>
#include <vector>

#include "libteam/system/file.h"

namespace team {

// Marks a detached process in its environment. The value is its own pid, so that its children are not marked. It is
// "all" if a descendant of the started process must live on.
constexpr std::string_view kDetached = "TEAM_DETACHED";

// All living descendants of `root`, without detached ones.
std::vector<pid_t> descendants(pid_t root);

// A descriptor that is readable when the process has ended. It names one process for ever; a pid can be reused.
Fd watch_process(pid_t pid);

// Kills a process and all its descendants; none of them can start another in between. `is_meant` is called when the pid
// can no longer be reused. Returns false, and kills nothing, if `is_meant` returns false or the process has ended.
bool kill_tree(pid_t root, const std::function<bool()>& is_meant);

}  // namespace team
