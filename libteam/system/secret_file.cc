#include "libteam/system/secret_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "libteam/base/error.h"
#include "libteam/system/file.h"
#include "libteam/system/lines.h"

namespace team {

std::string read_secret(const std::string& path) {
  constexpr std::size_t kMostBytes = 4096;
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd && errno == ENOENT) fail(Code::not_found, "no file '{}'", path);
  if (!fd) fail_errno("cannot open", path);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) fail_errno("cannot look at", path);
  if ((status.st_mode & 077) != 0) {
    fail(Code::permission_denied, "other users can read '{}' (chmod 600)", path);
  }
  std::string text = read_at(fd, 0, kMostBytes);
  return text.substr(0, text.find('\n'));
}

}  // namespace team
