// Files that take their place in one step.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "libteam/system/temporary.h"

namespace team {

// In the name of the only copy of what somebody wrote at the same moment as we, behind that of the file.
inline constexpr std::string_view kTheirs = ".theirs-";

// A file that is written, and on the disk as far as `durability` asks, but has no name that anybody looks at. It goes
// with this object unless it found its place.
class NewFile {
 public:
  // What keeps a sweeper from removing the file before it has its place: a lock of its own, or a lock that the caller
  // holds and without which nobody sweeps `scratch`.
  enum class Guard { own_lock, callers_lock };
  // In `scratch`, which must be on the same file system as its place and must outlive this.
  NewFile(const Folder& scratch, std::string_view text, Durability durability, Guard guard = Guard::own_lock);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  const Stamp& stamp() const { return stamp_; }
  // The mtime that the folder got when this took its place: a later one is by somebody else.
  std::int64_t folder_mtime() const { return folder_mtime_; }

  // The descriptor that has the lock of Guard::own_lock.
  const Fd& lock() const { return guard_->lock(); }
  // The file has its place: from now on the caller has the lock.
  Fd keep_locked() { return guard_->keep_locked(); }
  // Takes the place of whatever has the name.
  void replace(const Folder& folder, const std::string& name);
  // Takes a name that must be free; false if it is not.
  bool create(const Folder& folder, const std::string& name);
  // Takes the place of the file that `expected` was taken of; false if somebody has changed it meanwhile: then theirs
  // stands. The caller holds a lock without which nobody sweeps `scratch`.
  bool exchange(const Folder& folder, const std::string& name, const Stamp& expected);

 private:
  const Folder& scratch_;
  std::optional<Temporary> guard_;
  std::string temporary_;
  Durability durability_;
  Stamp stamp_;
  std::int64_t folder_mtime_ = 0;
  bool armed_ = true;
};

}  // namespace team
