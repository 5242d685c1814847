// The files that the tools of a model may touch: which paths are allowed, and how a file is read and replaced there.
//
// A path is checked by its letters and by the place that it really leads to, so neither a link nor ".." reaches a
// protected folder. No link leads out of the allowed folders.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/system/file.h"
#include "libteam/system/lock.h"

namespace team {

struct FileScope {
  std::string working_directory;     // base of relative paths; absolute, always allowed
  std::vector<std::string> allowed;  // absolute folders, the root first
  // The folders of the store now, relative to the root. They can be read but not written.
  std::function<std::vector<std::string>()> store_folders;
  // Taken for each change of a file.
  std::function<Lock()> lock;
};

// A path that a model named, inside an allowed folder as far as its text tells.
struct AllowedPath {
  std::string asked;   // for messages
  std::string path;    // absolute
  Folder root;         // the allowed folder that it lies beneath
  std::string inside;  // the path from there, "." for the folder itself
};

struct stat status_of(const Fd& fd, const std::string& asked);
// Throws not_found, permission_denied for a link out of the root, invalid_state for anything but a regular file.
Fd open_to_read(const AllowedPath& place);

class AllowedFiles {
 public:
  explicit AllowedFiles(const FileScope& scope);

  Lock lock() const { return lock_(); }
  // Throws permission_denied for a path outside the allowed folders.
  AllowedPath find(const std::string& path) const;
  // Replaces the file by `text`, or makes it. Throws conflict if `expected` is given and the file has another version
  // by now; permission_denied for files of a team or of git.
  void write(const AllowedPath& place, std::string_view text, const struct stat* expected) const;

 private:
  void add_root(const std::string& folder);
  void check_writable(const AllowedPath& place, const std::string& path) const;
  std::string granted_folder(const std::string& path) const;
  Fd make_folder(const AllowedPath& place, const std::string& path) const;
  void write_through_link(const AllowedPath& place, std::string_view text, const struct stat* expected) const;

  std::string working_directory_;
  std::function<std::vector<std::string>()> store_folders_;
  std::function<Lock()> lock_;
  std::vector<std::string> roots_;  // the root first
  std::size_t granted_ = 0;         // how many of them the user allowed by name
};

}  // namespace team
