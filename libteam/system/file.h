// Folders and the files directly in them.
//
// A Folder is an open directory; every name is looked up beneath it and no symbolic link inside it is ever followed.
// Readers see the old contents of a file or the new, never a mixture: files are replaced whole, by a temporary file
// that is swapped in. With Durability::power what returned is on the disk; with ::process it survives the death of the
// process, not of the machine.
//
// Failures before a change was visible are io and leave nothing behind; after it, unknown.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/base/error.h"

namespace team {

enum class Durability { power, process };

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept;
  ~Fd();
  int get() const { return fd_; }
  int release();
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// What tells one version of a file from the next without reading it.
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

  // A folder beneath this one (`path` may have several parts); no link is followed.
  std::optional<Folder> find_beneath(const std::string& path) const;
  // The same, but follows links that stay beneath and that this user or root owns. Throws permission_denied for others.
  std::optional<Folder> find_through_links(const std::string& path) const;
  // The same, made (0700) where it is missing.
  Folder make_beneath(const std::string& path, Durability durability) const;

  // For messages only; the folder itself is held open and does not move with the name.
  const std::string& path() const { return path_; }
  std::string path_of(std::string_view name) const;
  int fd() const { return fd_.get(); }

  // None if there is no such file. Throws corrupt for anything but a regular file and for one larger than `most_bytes`.
  std::optional<Contents> read(const std::string& name, std::size_t most_bytes) const;
  std::optional<Stamp> stamp(const std::string& name) const;
  // False only if there is none, or only a link that leads out.
  bool has(const std::string& path) const;
  bool has_folder(const std::string& name) const;
  bool is_link(const std::string& name) const;
  // Calls `visit` for each entry but `.` and `..`, in no order.
  void each_name(const std::function<void(const char* name)>& visit) const;
  // Bytes that are left on its disk for us, and how many there are in all.
  struct Space {
    std::uint64_t free = 0, total = 0;
  };
  Space space() const;
  // The kind of its file system, as statfs(2) numbers it.
  long filesystem() const;
  std::int64_t mtime_ns() const;
  std::uint64_t inode() const;
  // False if its path leads to another folder by now, or to none: this one was moved or removed.
  bool is_in_place() const;
  // Each step from the folder that this one was found beneath: a parent, and the name that is looked up in it.
  struct Step {
    std::string parent, name;
  };
  std::vector<Step> steps() const;
  // distrust() of the folder itself.
  std::string distrust() const;

  // Permission bits of an entry ("." for the folder itself), and setting them.
  unsigned mode_of(const std::string& name) const;
  void set_mode(const std::string& name, unsigned mode) const;

  // An open file of this folder, made (0600) if `flags` has O_CREAT. Throws corrupt for anything but a regular file; a
  // fifo or a device in its place does not block.
  Fd open(const std::string& name, int flags) const;
  // A file beneath, through links as far as they stay beneath; made with `mode` if `flags` has O_CREAT. Empty with
  // errno set if it cannot be opened.
  Fd try_open_beneath(const std::string& path, int flags, unsigned mode) const;
  // The same as open(), but an empty one if there is no such file.
  Fd open_if_there(const std::string& name, int flags) const;
  // Writes a file under its own name at once: for a folder that nobody looks at yet.
  Stamp write_unseen(const std::string& name, std::string_view text, Durability durability) const;
  // The same into an empty file that is there.
  Stamp write_into(const std::string& name, std::string_view text, Durability durability) const;
  // Puts `text` in place of whatever stands under `name`; gives the stamp of the new file.
  Stamp replace(const std::string& name, std::string_view text, Durability durability) const;
  // Moves a file of another folder here; false if the name is taken.
  bool adopt(const Folder& from, const std::string& name) const;
  // Moves an entry of this folder into another under a name that must be free there (a folder) or is replaced (a file).
  void rename_into(const std::string& name, const Folder& target, const std::string& target_name) const;
  // The same for a folder of this folder; false if the file system cannot move it (overlayfs: a folder that came with
  // the lower layer).
  bool rename_folder(const std::string& name, const std::string& new_name) const;
  // False if there was none.
  bool remove(const std::string& name) const;
  // Removes a folder in this one with all that is in it; links are removed, not followed.
  void remove_tree(const std::string& name) const;
  // Removes temporary files and folders whose writers are dead. Where files are exchanged (NewFile), the caller holds
  // the lock under which that happens.
  void sweep_temporaries() const;
  // Flushes the names in it. After a change was visible a failure is unknown, before it io.
  void sync(Code failure = Code::unknown) const;
  // Everything written to this file system so far: one flush where thousands of files would each need their own.
  void sync_filesystem() const;

 private:
  Folder(Fd fd, std::string path, std::size_t depth = 0) : fd_(std::move(fd)), path_(std::move(path)), depth_(depth) {}
  Folder beneath(Fd fd, const std::string& path) const;
  std::optional<std::string> follow_first_link(const std::string& path) const;
  void check_regular(const Fd& fd, const std::string& name) const;
  Stamp write(const Fd& fd, std::string_view text, Durability durability) const;
  Fd fd_;
  std::string path_;
  std::size_t depth_ = 0;            // names of its path that were looked up beneath another folder
  mutable std::uint64_t inode_ = 0;  // once it was asked for
};

// Runs what follows a change that others can see already: a failure of the system is no longer "nothing changed".
template <class Call>
auto after_change(Call call) {
  try {
    return call();
  } catch (const Error& error) {
    if (error.code() != Code::io) throw;
    fail(Code::unknown, "the change is made, but {}", error.what());
  }
}

// 64 bits that no other process has.
std::uint64_t random_number();

// The whole of `text`, short writes and interruptions included. False with errno set if it cannot be.
bool write_all(int fd, std::string_view text);

}  // namespace team
