// Single calls of flock(2) on a named file. lock.h has the locks that a process holds.
#pragma once

#include <string>

#include "libteam/system/file.h"

namespace team {

enum class Held { yes, no, no_file };

// Whether a process holds the lock now. Makes no file and does not disturb other processes.
Held look_at_lock(const Folder& folder, const std::string& name);

// flock(2) for a file that was opened read-only. NFS locks only files that are open for writing: there `fd` becomes
// another descriptor of the same file. Returns 0, or -1 with errno set, as flock does.
int lock_file(const Folder& folder, const std::string& name, Fd& fd, int operation);

}  // namespace team
