// Which process holds a lock, as far as that can be seen from here.
//
// A pid means something only in one pid namespace. The holder may run in another one (a container), belong to another
// user, or end at this moment, and the number of an ended process is given out again. So a pid is given only if a
// process of our own namespace has that pid and has a descriptor with the lock.
#pragma once

#include <optional>
#include <string>

#include "libteam/system/file.h"

namespace team {

// None if nobody holds the lock or the holder cannot be seen from here.
std::optional<int> holder_of(const Folder& folder, const std::string& name);

// True if the process of our namespace with this pid has a descriptor with the lock.
bool holds_lock(int pid, const Folder& folder, const std::string& name);

struct Holder {
  std::string name;        // "pid 4711 (task-claim)"; empty if the holder cannot be seen from here
  bool is_listed = false;  // the kernel shows a pid for the lock: a holder without a name is just ending
};
Holder describe_holder(const Fd& lock);

// True if the process that took the lock is being killed, or has gone while its keeper still holds the lock: then the
// lock is free soon. A hint only; false where the process cannot be seen.
bool is_about_to_be_free(const Folder& folder, const std::string& name);

}  // namespace team
