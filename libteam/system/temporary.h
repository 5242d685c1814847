// Temporary files and folders: incomplete entries, under names that nobody looks up.
//
// The writer holds an flock on its entry. The kernel releases it when the writer ends in any way, in any pid namespace.
// A sweeper removes an entry only after it got the lock, so a living writer never loses its entry and no pid matters. A
// sweeper may be faster between the creation and the lock: the writer then makes another entry.
#pragma once

#include <string>
#include <string_view>

#include "libteam/system/file.h"

namespace team {

// A name that no other process uses.
std::string temporary_name();
bool is_temporary(std::string_view name);

class Temporary {
 public:
  // An empty file (0600) or folder (0700), locked by us. `folder` must outlive this.
  static Temporary file(const Folder& folder) { return Temporary(folder, Kind::file); }
  static Temporary subfolder(const Folder& folder) { return Temporary(folder, Kind::folder); }
  Temporary(Temporary&& other) noexcept;
  Temporary& operator=(Temporary&&) = delete;
  // Removes the entry, unless keep() was called, and unlocks it.
  ~Temporary();

  const std::string& name() const { return name_; }
  // The descriptor with the lock. It is read-only: closing a descriptor that was opened for writing would wake every
  // process that watches the folder.
  const Fd& lock() const { return lock_; }
  // The entry has its final name and stays.
  void keep() { name_.clear(); }
  // The same, and the caller gets the lock.
  Fd keep_locked();

 private:
  enum class Kind { file, folder };
  Temporary(const Folder& folder, Kind kind);

  const Folder* folder_;
  std::string name_;
  Fd lock_;
};

// True if no living process writes this temporary entry.
bool is_abandoned(const Folder& folder, const std::string& name);
// Removes the entry if it is abandoned.
void remove_if_abandoned(const Folder& folder, const std::string& name);
// Removes all abandoned temporary entries. Where files are exchanged (NewFile), the caller holds the lock that covers
// the exchange.
void sweep_temporaries(const Folder& folder);
// True if the name in the folder still leads to the open file or folder.
bool leads_to(const Folder& folder, const std::string& name, const Fd& fd);

}  // namespace team
