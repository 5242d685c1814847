// Files that take their place atomically.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "libteam/system/temporary.h"

namespace team {

// Part of the name of a saved copy: another process wrote the file at the same moment, and this is the only copy of its
// version.
inline constexpr std::string_view kTheirs = ".theirs-";

// A complete file under a temporary name, flushed as `durability` demands. The destructor removes it unless it took its
// place.
class NewFile {
 public:
  // Protects the file from a sweeper before it has its place: its own lock, or a lock of the caller that every sweeper
  // of `scratch` needs.
  enum class Guard { own_lock, callers_lock };
  // Written in `scratch`, which must be on the same file system as its place and must outlive this.
  NewFile(const Folder& scratch, std::string_view text, Durability durability, Guard guard = Guard::own_lock);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  const Stamp& stamp() const { return stamp_; }
  // The mtime of the folder after this took its place. A later mtime comes from another process.
  std::int64_t folder_mtime() const { return folder_mtime_; }

  // The descriptor that has the lock of Guard::own_lock.
  const Fd& lock() const { return guard_->lock(); }
  // Passes the lock to the caller, after the file took its place.
  Fd keep_locked() { return guard_->keep_locked(); }
  // Replaces the file of this name, if there is one.
  void replace(const Folder& folder, const std::string& name);
  // Takes a free name; false if the name is taken.
  bool create(const Folder& folder, const std::string& name);
  // Replaces the file that `expected` describes. False if somebody has changed it since; then their version stays. The
  // caller holds a lock that every sweeper of `scratch` needs.
  bool exchange(const Folder& folder, const std::string& name, const Stamp& expected);
  // True if the replaced file could not be removed: it is left in `scratch`.
  bool has_leftover() const { return has_leftover_; }

 private:
  const Folder& scratch_;
  std::optional<Temporary> guard_;
  std::string temporary_;
  Durability durability_;
  Stamp stamp_;
  std::int64_t folder_mtime_ = 0;
  bool armed_ = true;
  bool has_leftover_ = false;
};

// Replaces the file `name` by `text`, or makes it; returns the stamp of the new file.
Stamp replace_file(const Folder& folder, const std::string& name, std::string_view text, Durability durability);

}  // namespace team
