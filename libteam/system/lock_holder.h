// Finds the process that holds a lock, if it is visible from here.
//
// A pid is valid only in one pid namespace. The holder may run in another namespace (a container), belong to another
// user, or end at this moment, and the kernel reuses the pids of ended processes. So a pid is returned only if a
// process of our own namespace has that pid and a descriptor with the lock.
#pragma once

#include <optional>
#include <string>

#include "libteam/system/file.h"

namespace team {

// None if nobody holds the lock or the holder is not visible from here.
std::optional<int> holder_of(const Folder& folder, const std::string& name);

// True if the process of our namespace with this pid has a descriptor with the lock.
bool holds_lock(int pid, const Folder& folder, const std::string& name);

struct Holder {
  std::string name;        // "pid 4711 (task-claim)"; empty if the holder cannot be seen from here
  bool is_listed = false;  // the kernel lists a pid for the lock: a holder without a name is just ending
};
Holder describe_holder(const Fd& lock);

// True if the process that took the lock is being killed, or has ended while its keeper still holds the lock: the lock
// is free soon. Only a hint; false where the process is not visible.
bool is_about_to_be_free(const Folder& folder, const std::string& name);

}  // namespace team
