#include "libteam/system/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "libteam/base/error.h"
#include "libteam/system/trace.h"

namespace team {

namespace {

constexpr mode_t kFileMode = 0600;
constexpr mode_t kFolderMode = 0700;

template <class Call>
auto retry_interrupted(Call call) {
  while (true) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

// Where the kernel or a sandbox has no openat2: opens part by part, and follows no link.
int open_by_parts(int folder, const std::string& path, int flags, mode_t mode) {
  const std::size_t slash = path.find('/');
  if (slash == std::string::npos) {
    return retry_interrupted([&] { return ::openat(folder, path.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, mode); });
  }
  const std::string first = path.substr(0, slash);
  if (first.empty() || first == "..") {
    errno = EXDEV;
    return -1;
  }
  const Fd next(::openat(folder, first.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return next ? open_by_parts(next.get(), path.substr(slash + 1), flags, mode) : -1;
}

// openat2 keeps the whole path beneath the folder.
int open_confined(int folder, const char* path, int flags, mode_t mode, std::uint64_t resolve) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.mode = (flags & O_CREAT) != 0 ? mode : 0;
  how.resolve = resolve;
  const auto fd = retry_interrupted([&] { return ::syscall(SYS_openat2, folder, path, &how, sizeof how); });
  if (fd >= 0 || (errno != ENOSYS && errno != EPERM)) return static_cast<int>(fd);
  return open_by_parts(folder, path, flags, mode);
}

int open_entry(int folder, const char* name, int flags) {
  return open_confined(folder, name, flags, kFileMode, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
}

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * 1'000'000'000LL + time.tv_nsec; }

struct stat status_of(const Fd& fd, const std::string& path) {
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) fail_errno("cannot look at", path);
  return status;
}

Stamp stamp_of(const struct stat& status) { return {status.st_ino, nanoseconds(status.st_mtim), status.st_size}; }

bool flush(const Fd& fd) {
  return retry_interrupted([&] { return ::fdatasync(fd.get()); }) == 0;
}

// Cached: our programs never change their user.
uid_t own_user() {
  static const uid_t user = ::geteuid();
  return user;
}

using DirectoryStream = std::unique_ptr<DIR, int (*)(DIR*)>;

DirectoryStream list(int folder) {
  const int fd = retry_interrupted([&] { return ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  return {fd < 0 ? nullptr : ::fdopendir(fd), ::closedir};
}

void trace_file(std::string_view what, const Folder& folder, std::string_view name) {
  if (is_tracing()) trace("file: {} {}", what, folder.path_of(name));
}

bool is_dots(const char* name) { return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0; }

}  // namespace

std::string distrust(unsigned owner, unsigned mode) {
  if (owner != own_user()) return fmt::format("belongs to user {}, not to you", owner);
  if ((mode & S_IWOTH) != 0) return "anybody can write to it";
  if ((mode & S_IWGRP) != 0) return "its group can write to it (chmod g-w)";
  return {};
}

void check_trusted(const Contents& contents, const std::string& path) {
  const std::string reason = distrust(contents.owner, contents.mode);
  if (!reason.empty()) fail(Code::permission_denied, "'{}' is not to be trusted: {}", path, reason);
}

bool is_own_or_roots(unsigned owner) { return owner == own_user() || owner == 0; }

std::optional<Folder> Folder::find(const std::string& path) {
  Fd fd(retry_interrupted([&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!fd) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    fail_errno("cannot open", path);
  }
  return Folder(std::move(fd), path);
}

Folder Folder::beneath(Fd fd, const std::string& path) const {
  const auto slashes = static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
  return {std::move(fd), path_of(path), depth_ + 1 + slashes};
}

std::optional<Folder> Folder::find_beneath(const std::string& path) const {
  Fd fd(open_entry(fd_.get(), path.c_str(), O_RDONLY | O_DIRECTORY));
  if (fd) return beneath(std::move(fd), path);
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  if (errno == EXDEV || errno == ELOOP) fail(Code::permission_denied, "'{}' is a link inside a store", path_of(path));
  fail_errno("cannot open", path_of(path));
}

std::optional<Folder> Folder::find_through_links(const std::string& path) const {
  constexpr int kMostLinks = 16;
  std::string target = path;
  for (int i = 0; i <= kMostLinks; ++i) {
    Fd fd(open_entry(fd_.get(), target.c_str(), O_RDONLY | O_DIRECTORY));
    if (fd) return beneath(std::move(fd), path);
    if (errno == ENOENT) return std::nullopt;
    // Without openat2 a link gives ENOTDIR, like everything that is not a folder.
    if (errno != ELOOP && errno != ENOTDIR) fail_errno("cannot open", path_of(path));
    auto next = follow_first_link(target);
    if (!next) return std::nullopt;
    target = std::move(*next);
  }
  fail(Code::permission_denied, "'{}' is a link that leads to itself", path_of(path));
}

// Replaces the first link in the path by its target; none if the path has no link. It checks the owner and reads the
// target through one descriptor, so that nobody can replace the link in between.
std::optional<std::string> Folder::follow_first_link(const std::string& path) const {
  for (std::size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end == 0 ? 0 : end + 1);
    const std::string part = path.substr(0, end);
    const Fd entry(open_entry(fd_.get(), part.c_str(), O_PATH | O_NOFOLLOW));
    if (!entry) return std::nullopt;
    const struct stat status = status_of(entry, path_of(part));
    if (!S_ISLNK(status.st_mode)) continue;
    if (!is_own_or_roots(status.st_uid)) {
      fail(Code::permission_denied, "'{}' is a link that belongs to user {}, not to you", path_of(part), status.st_uid);
    }
    char text[PATH_MAX];
    const ssize_t length = ::readlinkat(entry.get(), "", text, sizeof text);
    if (length < 0) fail_errno("cannot read the link", path_of(part));
    const std::filesystem::path link(std::string(text, static_cast<std::size_t>(length)));
    const std::string rest = end == std::string::npos ? "" : path.substr(end + 1);
    const auto whole = (std::filesystem::path(part).parent_path() / link / rest).lexically_normal();
    if (link.is_absolute() || *whole.begin() == "..") {
      fail(Code::permission_denied, "'{}' is a link that leads out", path_of(part));
    }
    std::string next = whole.string();
    if (next.size() > 1 && next.ends_with('/')) next.pop_back();
    return next;
  }
  return std::nullopt;
}

Folder Folder::make_beneath(const std::string& path, Durability durability) const {
  if (auto found = find_beneath(path)) return std::move(*found);
  const std::size_t slash = path.rfind('/');
  if (slash != std::string::npos) {
    return make_beneath(path.substr(0, slash), durability).make_beneath(path.substr(slash + 1), durability);
  }
  const bool made = ::mkdirat(fd_.get(), path.c_str(), kFolderMode) == 0;
  if (!made && errno != EEXIST) fail_errno("cannot make folder", path_of(path));
  if (made && durability == Durability::power) sync(Code::io);
  auto found = find_beneath(path);
  if (!found) fail(Code::io, "cannot make folder '{}': something else has that name", path_of(path));
  return std::move(*found);
}

std::string Folder::path_of(std::string_view name) const {
  if (path_ == ".") return std::string(name);
  return path_.ends_with('/') ? fmt::format("{}{}", path_, name) : fmt::format("{}/{}", path_, name);
}

std::optional<Contents> Folder::read(const std::string& name, std::size_t most_bytes) const {
  // O_NONBLOCK: a fifo in place of the file must not block us.
  const Fd fd(open_entry(fd_.get(), name.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY));
  if (!fd) {
    if (errno == ENOENT) return std::nullopt;
    if (errno == ELOOP || errno == EXDEV) fail(Code::corrupt, "{}: is a symbolic link", path_of(name));
    if (errno == ENXIO) fail(Code::corrupt, "{}: is not a regular file", path_of(name));  // a socket
    fail_errno("cannot open", path_of(name));
  }
  const struct stat status = status_of(fd, path_of(name));
  if (!S_ISREG(status.st_mode)) fail(Code::corrupt, "{}: is not a regular file", path_of(name));
  if (static_cast<std::size_t>(status.st_size) > most_bytes) {
    fail(Code::corrupt, "{}: larger than {} bytes", path_of(name), most_bytes);
  }
  Contents contents;
  contents.stamp = stamp_of(status);
  contents.owner = status.st_uid;
  contents.mode = status.st_mode & 07777;
  contents.text.resize(static_cast<std::size_t>(status.st_size) + 1);  // one more byte, to see the end at once
  std::size_t filled = 0;
  while (true) {
    char* const free = contents.text.data() + filled;
    const ssize_t got = retry_interrupted([&] { return ::read(fd.get(), free, contents.text.size() - filled); });
    if (got < 0) fail_errno("cannot read", path_of(name));
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
    if (filled > most_bytes) fail(Code::corrupt, "{}: larger than {} bytes", path_of(name), most_bytes);
    if (filled == contents.text.size()) contents.text.resize(filled * 2);
    else if (filled >= static_cast<std::size_t>(contents.stamp.size)) break;
  }
  contents.text.resize(filled);
  return contents;
}

std::optional<Stamp> Folder::stamp(const std::string& name) const {
  struct stat status {};
  if (::fstatat(fd_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return std::nullopt;
    fail_errno("cannot look at", path_of(name));
  }
  return stamp_of(status);
}

bool Folder::has(const std::string& path) const {
  // fstatat is cheaper than an open, and is enough unless a link may lead elsewhere.
  if (path.find('/') == std::string::npos) {
    struct stat status {};
    const bool seen = ::fstatat(fd_.get(), path.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
    if (seen && !S_ISLNK(status.st_mode)) return true;
    if (!seen && errno == ENOENT) return false;
  }
  const Fd fd(open_confined(fd_.get(), path.c_str(), O_PATH, 0, RESOLVE_BENEATH));
  if (fd) return true;
  if (errno == ENOENT || errno == ENOTDIR || errno == EXDEV || errno == ELOOP) return false;
  fail_errno("cannot look at", path_of(path));
}

bool Folder::is_link(const std::string& name) const {
  struct stat status {};
  return ::fstatat(fd_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
}

bool Folder::has_folder(const std::string& name) const {
  struct stat status {};
  return ::fstatat(fd_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
}

void Folder::each_name(const std::function<void(const char*)>& visit) const {
  const DirectoryStream stream = list(fd_.get());
  if (!stream) fail_errno("cannot list", path_);
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(stream.get());
    if (entry == nullptr) break;
    if (!is_dots(entry->d_name)) visit(entry->d_name);
  }
  if (errno != 0) fail_errno("cannot list", path_);
}

Folder::Space Folder::space() const {
  struct statvfs status {};
  if (::fstatvfs(fd_.get(), &status) != 0) fail_errno("cannot look at the disk of", path_);
  return {status.f_bavail * status.f_frsize, status.f_blocks * status.f_frsize};
}

long Folder::filesystem() const {
  struct statfs status {};
  if (::fstatfs(fd_.get(), &status) != 0) fail_errno("cannot look at the file system of", path_);
  return static_cast<long>(status.f_type);
}

std::int64_t Folder::mtime_ns() const { return nanoseconds(status_of(fd_, path_).st_mtim); }

bool Folder::is_in_place() const {
  struct stat here {};
  if (::stat(path_.c_str(), &here) != 0) return errno != ENOENT && errno != ENOTDIR;
  const struct stat own = status_of(fd_, path_);
  return here.st_ino == own.st_ino && here.st_dev == own.st_dev;
}

std::vector<Folder::Step> Folder::steps() const {
  std::vector<Step> steps;
  std::string path = path_;
  for (std::size_t i = 0; i < depth_; ++i) {
    const std::size_t slash = path.rfind('/');
    const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
    path = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
    steps.push_back({path, name});
  }
  return steps;
}

std::uint64_t Folder::inode() const {
  if (inode_ == 0) inode_ = status_of(fd_, path_).st_ino;
  return inode_;
}

std::string Folder::distrust() const {
  const struct stat status = status_of(fd_, path_);
  inode_ = status.st_ino;
  return team::distrust(status.st_uid, status.st_mode);
}

unsigned Folder::mode_of(const std::string& name) const {
  struct stat status {};
  if (::fstatat(fd_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    fail_errno("cannot look at", path_of(name));
  return status.st_mode & 07777;
}

void Folder::set_mode(const std::string& name, unsigned mode) const {
  const Fd fd(open_entry(fd_.get(), name.c_str(), O_RDONLY | O_NONBLOCK));
  if (!fd) fail_errno("cannot open", path_of(name));
  if (::fchmod(fd.get(), mode) != 0) fail_errno("cannot change the mode of", path_of(name));
}

void Folder::check_regular(const Fd& fd, const std::string& name) const {
  const bool is_other = fd ? !S_ISREG(status_of(fd, path_of(name)).st_mode) : errno == ENXIO || errno == ENODEV;
  if (is_other) fail(Code::corrupt, "{}: is not a regular file", path_of(name));
}

Fd Folder::open(const std::string& name, int flags) const {
  Fd fd = open_if_there(name, flags);
  if (!fd) fail_errno("cannot open", path_of(name));
  return fd;
}

Fd Folder::try_open_beneath(const std::string& path, int flags, unsigned mode) const {
  return Fd(open_confined(fd_.get(), path.c_str(), flags, mode, RESOLVE_BENEATH));
}

Fd Folder::open_if_there(const std::string& name, int flags) const {
  Fd fd(open_entry(fd_.get(), name.c_str(), flags | O_NONBLOCK | O_NOCTTY));
  if (!fd && errno == ENOENT) return fd;
  const bool is_new = fd && (flags & O_EXCL) != 0;
  if (!is_new) check_regular(fd, name);
  if (!fd) fail_errno("cannot open", path_of(name));
  if ((flags & (O_WRONLY | O_RDWR)) != 0) trace_file("opened for writing", *this, name);
  return fd;
}

Stamp Folder::write_unseen(const std::string& name, std::string_view text, Durability durability) const {
  const Stamp stamp = write(open(name, O_WRONLY | O_CREAT | O_EXCL), text, durability);
  if (durability == Durability::power) trace_file("synced", *this, name);
  return stamp;
}

Stamp Folder::write_into(const std::string& name, std::string_view text, Durability durability) const {
  const Stamp stamp = write(open(name, O_WRONLY), text, durability);
  if (durability == Durability::power) trace_file("synced", *this, name);
  return stamp;
}

Stamp Folder::write(const Fd& fd, std::string_view text, Durability durability) const {
  const bool written = write_all(fd.get(), text) && (durability == Durability::process || flush(fd));
  if (!written) fail_errno("cannot write in", path_);
  return stamp_of(status_of(fd, path_));
}

bool Folder::adopt(const Folder& from, const std::string& name) const {
  if (::renameat2(from.fd(), name.c_str(), fd_.get(), name.c_str(), RENAME_NOREPLACE) != 0) {
    if (errno == EEXIST) return false;
    if (errno != EINVAL) fail_errno("cannot write", path_of(name));
    if (has(name)) return false;
    if (::renameat(from.fd(), name.c_str(), fd_.get(), name.c_str()) != 0) fail_errno("cannot write", path_of(name));
  }
  from.trace_rename(name, *this, name);
  return true;
}

void Folder::rename_into(const std::string& name, const Folder& target, const std::string& target_name) const {
  if (::renameat(fd_.get(), name.c_str(), target.fd(), target_name.c_str()) != 0) {
    fail_errno("cannot write", target.path_of(target_name));
  }
  trace_rename(name, target, target_name);
}

bool Folder::rename_folder(const std::string& name, const std::string& new_name) const {
  if (::renameat(fd_.get(), name.c_str(), fd_.get(), new_name.c_str()) != 0) {
    if (errno == EXDEV) return false;
    fail_errno("cannot write", path_of(new_name));
  }
  trace_rename(name, *this, new_name);
  return true;
}

void Folder::trace_rename(std::string_view name, const Folder& target, std::string_view target_name) const {
  if (is_tracing()) trace("file: renamed {} to {}", path_of(name), target.path_of(target_name));
}

bool Folder::remove(const std::string& name) const {
  if (::unlinkat(fd_.get(), name.c_str(), 0) != 0) {
    if (errno == ENOENT) return false;
    fail_errno("cannot remove", path_of(name));
  }
  trace_file("removed", *this, name);
  return true;
}

void Folder::remove_tree(const std::string& name) const {
  const int fd = open_entry(fd_.get(), name.c_str(), O_RDONLY | O_DIRECTORY);
  if (fd >= 0) {
    const Folder inner(Fd(fd), path_of(name));
    std::vector<std::string> names;
    inner.each_name([&](const char* entry) { names.emplace_back(entry); });
    for (const std::string& entry : names) inner.remove_tree(entry);
    if (::unlinkat(fd_.get(), name.c_str(), AT_REMOVEDIR) != 0) fail_errno("cannot remove", path_of(name));
    return;
  }
  if (errno == ENOTDIR || errno == ELOOP) {
    remove(name);
  } else if (errno != ENOENT) {
    fail_errno("cannot remove", path_of(name));
  }
}

void Folder::sync(Code failure) const {
  if (retry_interrupted([&] { return ::fsync(fd_.get()); }) != 0) fail_errno("cannot sync", path_, failure);
  trace("file: synced the folder {}", path_);
}

void Folder::sync_filesystem() const {
  if (::syncfs(fd_.get()) != 0) fail_errno("cannot sync", path_);
  trace("file: synced the file system of {}", path_);
}

}  // namespace team
