// Folders and the files directly in them.
//
// A Folder is an open directory. Every name is looked up beneath it, and symbolic links inside it are never followed.
// Readers see the old contents of a file or the new contents, never a mixture: a temporary file replaces the old file
// as a whole. With Durability::power a completed change is on the disk. With ::process it survives the death of the
// process but not of the machine.
//
// A failure before the change is visible is io and leaves nothing behind; a later failure is unknown.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/base/error.h"
#include "libteam/system/fd.h"

namespace team {

enum class Durability { power, process };

// Identifies a version of a file without reading it.
struct Stamp {
  std::uint64_t inode = 0;
  std::int64_t mtime_ns = 0;
  std::int64_t size = 0;
  bool operator==(const Stamp&) const = default;
};

struct Contents {
  std::string text;
  Stamp stamp;
  // Of the descriptor that the text was read from.
  unsigned owner = 0;
  unsigned mode = 0;
};

// The reason why a file with this owner and these permission bits cannot be trusted: another user owns it, or others
// can write to it. Empty if only this user can write to it.
std::string distrust(unsigned owner, unsigned mode);
// Throws permission_denied if others could have written it.
void check_trusted(const Contents& contents, const std::string& path);
// True if this user or root owns it: nobody else can have put it there.
bool is_own_or_roots(unsigned owner);

class Folder {
 public:
  // The folder at `path`, or none if there is no such folder.
  static std::optional<Folder> find(const std::string& path);

  // A folder beneath this one (`path` may have several parts); follows no links.
  std::optional<Folder> find_beneath(const std::string& path) const;
  // The same, but follows links that stay beneath and that this user or root owns. Throws permission_denied for other
  // links.
  std::optional<Folder> find_through_links(const std::string& path) const;
  // The same; makes it (0700) if it is missing.
  Folder make_beneath(const std::string& path, Durability durability) const;

  // For messages only: the open folder does not change when its path leads elsewhere.
  const std::string& path() const { return path_; }
  std::string path_of(std::string_view name) const;
  int fd() const { return fd_.get(); }

  // None if there is no such file. Throws corrupt for anything but a regular file and for one larger than `most_bytes`.
  std::optional<Contents> read(const std::string& name, std::size_t most_bytes) const;
  std::optional<Stamp> stamp(const std::string& name) const;
  // False if there is no such file, or only a link that leads out.
  bool has(const std::string& path) const;
  bool has_folder(const std::string& name) const;
  bool is_link(const std::string& name) const;
  // Calls `visit` for each entry but `.` and `..`, in no order.
  void each_name(const std::function<void(const char* name)>& visit) const;
  // Free bytes on its disk for this user, and the size of the disk.
  struct Space {
    std::uint64_t free = 0, total = 0;
  };
  Space space() const;
  // The kind of its file system, as statfs(2) numbers it.
  long filesystem() const;
  std::int64_t mtime_ns() const;
  std::uint64_t inode() const;
  // False if its path leads to another folder or to none: this one was moved or removed.
  bool is_in_place() const;
  // Each step of the path below the folder that this one was found beneath: a parent, and the name in it.
  struct Step {
    std::string parent, name;
  };
  std::vector<Step> steps() const;
  // distrust() of the folder itself.
  std::string distrust() const;

  // The permission bits of an entry ("." for the folder itself), and a way to set them.
  unsigned mode_of(const std::string& name) const;
  void set_mode(const std::string& name, unsigned mode) const;

  // Opens a file of this folder; makes it (0600) if `flags` has O_CREAT. Throws corrupt for anything but a regular
  // file, and does not block on a fifo or a device.
  Fd open(const std::string& name, int flags) const;
  // Opens a file beneath, through links that stay beneath; makes it with `mode` if `flags` has O_CREAT. Returns an
  // empty descriptor, with errno set, on failure.
  Fd try_open_beneath(const std::string& path, int flags, unsigned mode) const;
  // As open(), but returns an empty descriptor if there is no such file.
  Fd open_if_there(const std::string& name, int flags) const;
  // Writes a file directly under its name: for a folder that nobody reads yet.
  Stamp write_unseen(const std::string& name, std::string_view text, Durability durability) const;
  // The same for an existing empty file.
  Stamp write_into(const std::string& name, std::string_view text, Durability durability) const;
  // Moves a file of another folder here; false if the name is taken.
  bool adopt(const Folder& from, const std::string& name) const;
  // Moves an entry into another folder. The new name must be free for a folder; a file of that name is replaced.
  void rename_into(const std::string& name, const Folder& target, const std::string& target_name) const;
  // Renames a folder in this folder. False if the file system cannot do that (overlayfs: a folder of the lower layer).
  bool rename_folder(const std::string& name, const std::string& new_name) const;
  // For TEAM_TRACE: a caller renamed an entry of this folder by itself.
  void trace_rename(std::string_view name, const Folder& target, std::string_view target_name) const;
  // False if there was no such file.
  bool remove(const std::string& name) const;
  // Removes a folder in this one with all its contents; removes links without following them.
  void remove_tree(const std::string& name) const;
  // Flushes the entries of the folder to the disk. A failure after a visible change is unknown, before it io.
  void sync(Code failure = Code::unknown) const;
  // Flushes everything written to this file system so far: one flush instead of thousands for single files.
  void sync_filesystem() const;

 private:
  Folder(Fd fd, std::string path, std::size_t depth = 0) : fd_(std::move(fd)), path_(std::move(path)), depth_(depth) {}
  Folder beneath(Fd fd, const std::string& path) const;
  std::optional<std::string> follow_first_link(const std::string& path) const;
  void check_regular(const Fd& fd, const std::string& name) const;
  Stamp write(const Fd& fd, std::string_view text, Durability durability) const;
  Fd fd_;
  std::string path_;
  std::size_t depth_ = 0;            // number of path parts that were looked up beneath another folder
  mutable std::uint64_t inode_ = 0;  // set when it is first needed
};

}  // namespace team
