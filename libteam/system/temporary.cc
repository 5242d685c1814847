#include "libteam/system/temporary.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "libteam/base/error.h"
#include "libteam/system/flock.h"
#include "libteam/system/random.h"

namespace team {

namespace {

constexpr std::string_view kPrefix = ".tmp-";

// The lock of an abandoned entry; an empty descriptor if its writer lives, or if the entry is gone.
Fd lock_abandoned(const Folder& folder, const std::string& name) {
  constexpr int kFlags = O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC;
  Fd fd(::openat(folder.fd(), name.c_str(), kFlags));
  if (!fd || lock_file(folder, name, fd, LOCK_EX | LOCK_NB) != 0 || !leads_to(folder, name, fd)) return Fd();
  return fd;
}

// True for an entry that our writers never make: nobody can lock it.
bool is_foreign(const Folder& folder, const std::string& name) {
  struct stat status {};
  return ::fstatat(folder.fd(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(status.st_mode) &&
         !S_ISDIR(status.st_mode);
}

}  // namespace

std::string temporary_name() {
  return fmt::format("{}{:x}-{:016x}", kPrefix, static_cast<std::uint32_t>(random_number()), random_number());
}

bool is_temporary(std::string_view name) { return name.starts_with(kPrefix); }

bool leads_to(const Folder& folder, const std::string& name, const Fd& fd) {
  struct stat named {
  }, open{};
  return ::fstatat(folder.fd(), name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 && ::fstat(fd.get(), &open) == 0 &&
         named.st_ino == open.st_ino && named.st_dev == open.st_dev;
}

Temporary::Temporary(const Folder& folder, Kind kind) : folder_(&folder) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    name_ = temporary_name();
    if (kind == Kind::file) {
      lock_ = folder.open(name_, O_RDONLY | O_CREAT | O_EXCL);
    } else {
      if (::mkdirat(folder.fd(), name_.c_str(), 0700) != 0) fail_errno("cannot make folder", folder.path_of(name_));
      lock_ = Fd(::openat(folder.fd(), name_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    }
    const bool locked = lock_ && lock_file(folder, name_, lock_, LOCK_EX | LOCK_NB) == 0;
    if (locked && leads_to(folder, name_, lock_)) return;
    // A sweeper was faster, or the system refuses.
    const int reason = errno;
    ::unlinkat(folder.fd(), name_.c_str(), kind == Kind::folder ? AT_REMOVEDIR : 0);
    errno = reason;
    if (!locked && reason != EWOULDBLOCK && reason != ENOENT) fail_errno("cannot lock", folder.path_of(name_));
  }
  fail(Code::again, "cannot write in '{}': something removes temporary files all the time", folder.path());
}

Temporary::Temporary(Temporary&& other) noexcept
    : folder_(other.folder_), name_(std::exchange(other.name_, {})), lock_(std::move(other.lock_)) {}

Temporary::~Temporary() {
  try {
    // A file goes without being opened, which may be what failed.
    if (!name_.empty() && ::unlinkat(folder_->fd(), name_.c_str(), 0) != 0) folder_->remove_tree(name_);
  } catch (const Error&) {
    // The next sweep removes it.
  }
  // Closing is not enough: a program that another thread started at this moment may have inherited the descriptor.
  if (lock_) ::flock(lock_.get(), LOCK_UN);
}

Fd Temporary::keep_locked() {
  keep();
  return std::move(lock_);
}

bool is_abandoned(const Folder& folder, const std::string& name) {
  const Fd lock = lock_abandoned(folder, name);
  if (lock) ::flock(lock.get(), LOCK_UN);
  return lock || is_foreign(folder, name);
}

void remove_if_abandoned(const Folder& folder, const std::string& name) {
  const Fd lock = lock_abandoned(folder, name);
  if (lock || is_foreign(folder, name)) folder.remove_tree(name);
}

void sweep_temporaries(const Folder& folder) {
  std::vector<std::string> found;
  folder.each_name([&](const char* name) {
    if (is_temporary(name)) found.emplace_back(name);
  });
  for (const std::string& name : found) remove_if_abandoned(folder, name);
}

}  // namespace team
