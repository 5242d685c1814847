#include "libteam/system/flock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "libteam/base/error.h"

namespace team {

int lock_file(const Folder& folder, const std::string& name, Fd& fd, int operation) {
  const int result = ::flock(fd.get(), operation);
  if (result == 0 || errno != EBADF) return result;
  // A folder cannot be opened for writing, and another file may have the name by now.
  Fd writable(::openat(folder.fd(), name.c_str(), O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC));
  struct stat one {
  }, other{};
  const bool same = writable && ::fstat(fd.get(), &one) == 0 && ::fstat(writable.get(), &other) == 0 &&
                    one.st_ino == other.st_ino && one.st_dev == other.st_dev;
  if (!same) {
    errno = EBADF;
    return -1;
  }
  fd = std::move(writable);
  return ::flock(fd.get(), operation);
}

Held look_at_lock(const Folder& folder, const std::string& name) {
  const Fd fd(::openat(folder.fd(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd && errno == ENOENT) return Held::no_file;
  if (!fd) fail_errno("cannot open", folder.path_of(name));
  // A shared lock, so that two tests do not see each other; it ends with the descriptor.
  if (::flock(fd.get(), LOCK_SH | LOCK_NB) == 0) return Held::no;
  if (errno == EWOULDBLOCK) return Held::yes;
  fail_errno("cannot look at", folder.path_of(name));
}

}  // namespace team
