#include "libteam/agent/tools/allowed_files.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "libteam/base/error.h"
#include "libteam/base/name.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"
#include "libteam/store/files/file_guard.h"
#include "libteam/system/program.h"
#include "libteam/system/temporary.h"

namespace team {

namespace {

std::string shown(std::string_view path) { return cut_characters(one_line(path), 200); }

// Removes ".", ".." and doubled slashes without looking at the disk. Absolute; "" for the root of the system.
std::string normal_path(std::string_view path) {
  std::vector<std::string> parts;
  for (std::string& part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") parts.push_back(std::move(part));
    else if (!parts.empty()) parts.pop_back();
  }
  std::string normal;
  for (const std::string& part : parts) normal += "/" + part;
  return normal;
}

bool is_beneath(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

// Empty if there is no such file.
std::string real_path(const std::string& path) {
  std::error_code ignored;
  return normal_path(std::filesystem::canonical(path.empty() ? "/" : path, ignored).string());
}

// The path of an open file or folder.
std::string path_of(const Fd& fd) {
  char path[PATH_MAX];
  const ssize_t length = ::readlink(fmt::format("/proc/self/fd/{}", fd.get()).c_str(), path, sizeof path);
  if (length <= 0) fail_errno("cannot tell where", "a file lies");
  return normal_path(std::string_view(path, static_cast<std::size_t>(length)));
}

[[noreturn]] void refuse_open(const std::string& asked) {
  if (errno == EXDEV || errno == ELOOP) fail(Code::permission_denied, "'{}' leads out of the root", asked);
  if (errno == ENOENT || errno == ENOTDIR) fail(Code::not_found, "there is no file '{}'", asked);
  if (errno == ENXIO) fail(Code::invalid_state, "'{}' is not a regular file", asked);
  fail_errno("cannot open", asked);
}

void check_regular(const struct stat& status, const std::string& asked) {
  if (S_ISDIR(status.st_mode)) fail(Code::invalid_state, "'{}' is a folder", asked);
  if (!S_ISREG(status.st_mode)) fail(Code::invalid_state, "'{}' is not a regular file", asked);
}

bool same_version(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino && one.st_size == other.st_size &&
         one.st_mtim.tv_sec == other.st_mtim.tv_sec && one.st_mtim.tv_nsec == other.st_mtim.tv_nsec;
}

// Never follows a link that leads out of the root.
Fd open_inside(const Folder& root, const std::string& path, int flags) {
  constexpr int kTries = 16;
  Fd fd;
  // EAGAIN: somebody moved a folder while the kernel followed the ".." of a link.
  for (int i = 0; i < kTries && !fd && (i == 0 || errno == EAGAIN); ++i) fd = root.try_open_beneath(path, flags, 0);
  return fd;
}

// A file with a temporary name, removed unless it takes its place.
class Replacement {
 public:
  Replacement(const Fd& folder, std::string asked) : folder_(folder), asked_(std::move(asked)) {
    constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    file_ = Fd(::openat(folder_.get(), name_.c_str(), kFlags, 0600));
    if (!file_) fail_errno("cannot write", asked_);
    // Tells team-save, which sweeps the folder that it writes to, that the writer is alive.
    ::flock(file_.get(), LOCK_EX | LOCK_NB);
  }
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  ~Replacement() {
    if (!placed_) ::unlinkat(folder_.get(), name_.c_str(), 0);
  }

  void write(std::string_view text, mode_t mode) const {
    if (!write_all(file_.get(), text) || ::fchmod(file_.get(), mode) != 0) fail_errno("cannot write", asked_);
  }
  // Only root can give a file away; other users keep it.
  void give_to(const struct stat& former) const {
    if (::fchown(file_.get(), former.st_uid, former.st_gid) != 0) return;
  }
  void place(const std::string& name) {
    if (::renameat(folder_.get(), name_.c_str(), folder_.get(), name.c_str()) != 0) fail_errno("cannot write", asked_);
    placed_ = true;
  }

 private:
  const Fd& folder_;
  std::string asked_;
  std::string name_ = temporary_name();
  Fd file_;
  bool placed_ = false;
};

[[noreturn]] void refuse_team_file(const AllowedPath& place) {
  fail(Code::permission_denied, "'{}' belongs to a team: use the Task tools", place.asked);
}

// Uses the same signs as git: a bare repository, or one that a `.git` file leads to.
bool is_git_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path + "/HEAD", ignored) &&
         std::filesystem::is_directory(path + "/objects", ignored) &&
         std::filesystem::is_directory(path + "/refs", ignored);
}

void check_version(bool same, const AllowedPath& place) {
  if (!same) fail(Code::conflict, "somebody changed '{}' at the same moment: read it again", place.asked);
}

}  // namespace

struct stat status_of(const Fd& fd, const std::string& asked) {
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) fail_errno("cannot look at", asked);
  return status;
}

Fd open_to_read(const AllowedPath& place) {
  Fd fd = open_inside(place.root, place.inside, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd) refuse_open(place.asked);
  check_regular(status_of(fd, place.asked), place.asked);
  return fd;
}

AllowedFiles::AllowedFiles(const FileScope& scope)
    : working_directory_(normal_path(scope.working_directory)), store_folders_(scope.store_folders), lock_(scope.lock) {
  for (const std::string& folder : scope.allowed) add_root(folder);
  granted_ = roots_.size();
  add_root(scope.working_directory);
}

AllowedPath AllowedFiles::find(const std::string& path) const {
  const std::string asked = shown(path);
  if (path.empty()) fail(Code::usage, "the path is empty");
  if (path.find('\0') != std::string::npos) fail(Code::usage, "the path holds a NUL");
  const std::string absolute = normal_path(path.starts_with('/') ? path : working_directory_ + "/" + path);
  // The outermost folder, so that a link from one allowed folder to another stays inside.
  const std::string* outermost = nullptr;
  for (const std::string& root : roots_) {
    if (is_beneath(absolute, root) && (outermost == nullptr || root.size() < outermost->size())) outermost = &root;
  }
  if (outermost == nullptr) {
    fail(Code::permission_denied, "'{}' is outside of what you may touch: {}", asked, join(roots_, ", "));
  }
  auto root = Folder::find(outermost->empty() ? "/" : *outermost);
  if (!root) fail(Code::not_found, "there is no folder '{}'", *outermost);
  const bool itself = absolute.size() == outermost->size();
  return {asked, absolute, std::move(*root), itself ? "." : absolute.substr(outermost->size() + 1)};
}

void AllowedFiles::write(const AllowedPath& place, std::string_view text, const struct stat* expected) const {
  check_writable(place, place.path);
  if (place.inside == ".") fail(Code::invalid_state, "'{}' is a folder", place.asked);
  const std::size_t slash = place.inside.rfind('/');
  const std::string name = slash == std::string::npos ? place.inside : place.inside.substr(slash + 1);
  const Fd folder = make_folder(place, slash == std::string::npos ? "." : place.inside.substr(0, slash));
  check_writable(place, path_of(folder) + "/" + name);
  struct stat former {};
  const bool is_new = ::fstatat(folder.get(), name.c_str(), &former, AT_SYMLINK_NOFOLLOW) != 0;
  if (is_new && errno != ENOENT) fail_errno("cannot write", place.asked);
  if (!is_new && S_ISLNK(former.st_mode)) return write_through_link(place, text, expected);
  if (!is_new) {
    check_regular(former, place.asked);
    // A rename would not check this.
    if (::faccessat(folder.get(), name.c_str(), W_OK, AT_EACCESS) != 0) fail_errno("cannot write", place.asked);
  }
  Replacement file(folder, place.asked);
  if (!is_new) file.give_to(former);
  file.write(text, is_new ? 0666 & ~inherited_mask() : former.st_mode & 07777);
  if (expected != nullptr) {
    struct stat current {};
    const bool there = ::fstatat(folder.get(), name.c_str(), &current, AT_SYMLINK_NOFOLLOW) == 0;
    check_version(there && same_version(current, *expected), place);
  }
  file.place(name);
}

void AllowedFiles::add_root(const std::string& folder) {
  // An empty name would allow the whole disk.
  if (!folder.starts_with('/')) fail(Code::usage, "'{}' is not an absolute folder", folder);
  const std::string root = normal_path(folder);
  const auto add = [&](const std::string& name) {
    if (std::find(roots_.begin(), roots_.end(), name) == roots_.end()) roots_.push_back(name);
  };
  add(root);
  // A model may know the real path too, from `pwd -P`.
  const std::string real = real_path(root);
  if (!real.empty()) add(real);
}

// `path` is absolute: the requested path, or its real path. Both are checked, so that neither a link nor ".." leads
// to a protected folder.
void AllowedFiles::check_writable(const AllowedPath& place, const std::string& path) const {
  for (const std::string& folder : store_folders_()) {
    const std::string known = normal_path(roots_.front() + "/" + folder);
    const std::string by_root = normal_path(real_path(roots_.front()) + "/" + folder);
    const std::string real = real_path(known);
    if (is_beneath(path, known) || is_beneath(path, by_root) || (!real.empty() && is_beneath(path, real))) {
      refuse_team_file(place);
    }
  }
  // Stores and repositories deeper inside, or in another allowed folder.
  std::string entry = granted_folder(path);
  for (const std::string& part : split(std::string_view(path).substr(entry.size()), '/')) {
    if (part.empty()) continue;
    entry += "/" + part;
    if (same_name(part, ".git") || is_git_folder(entry)) {
      fail(Code::permission_denied, "'{}' belongs to git: use the git command", place.asked);
    }
    if (is_store_folder(part, entry)) refuse_team_file(place);
  }
}

// The innermost folder around `path` that the user allowed by name. The user decided about the folders above it.
std::string AllowedFiles::granted_folder(const std::string& path) const {
  const std::string* innermost = nullptr;
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    if (!is_beneath(path, roots_[i]) || (i >= granted_ && innermost != nullptr)) continue;
    if (innermost == nullptr || roots_[i].size() > innermost->size()) innermost = &roots_[i];
  }
  return innermost != nullptr ? *innermost : "";
}

// The folder beneath the root; made if it is missing.
Fd AllowedFiles::make_folder(const AllowedPath& place, const std::string& path) const {
  Fd folder = open_inside(place.root, path, O_PATH | O_DIRECTORY);
  if (folder) return folder;
  if (errno == ENOTDIR) fail(Code::invalid_state, "'{}': a part of the path is not a folder", place.asked);
  if (errno != ENOENT || path == ".") refuse_open(place.asked);
  const std::size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const Fd parent = make_folder(place, slash == std::string::npos ? "." : path.substr(0, slash));
  check_writable(place, path_of(parent) + "/" + name);
  const bool made = ::mkdirat(parent.get(), name.c_str(), 0777) == 0;
  if (!made && errno != EEXIST) fail_errno("cannot make a folder for", place.asked);
  folder = Fd(::openat(parent.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder) fail_errno("cannot make a folder for", place.asked);
  // Our own mask is narrow, but this is a folder of the user.
  if (made && ::fchmod(folder.get(), 0777 & ~inherited_mask()) != 0) fail_errno("cannot write", place.asked);
  return folder;
}

// Keeps the link and writes its target.
void AllowedFiles::write_through_link(const AllowedPath& place, std::string_view text,
                                      const struct stat* expected) const {
  const Fd file = open_inside(place.root, place.inside, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  if (!file && errno == EISDIR) fail(Code::invalid_state, "'{}' is a folder", place.asked);
  if (!file) refuse_open(place.asked);
  const struct stat status = status_of(file, place.asked);
  check_regular(status, place.asked);
  check_writable(place, path_of(file));
  if (expected != nullptr) check_version(same_version(status, *expected), place);
  if (::ftruncate(file.get(), 0) != 0) fail_errno("cannot write", place.asked);
  if (!write_all(file.get(), text)) fail_errno("cannot write all of", place.asked, Code::unknown);
}

}  // namespace team
