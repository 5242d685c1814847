#include "libteam/system/new_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "libteam/base/error.h"

namespace team {

namespace {

// Whether nobody else can see what is written to it: as long as this descriptor is open, who opens the file waits.
bool is_ours_alone(const Fd& fd) {
  struct stat status {};
  constexpr mode_t kOurs = S_IFREG | 0600;
  if (::fstat(fd.get(), &status) != 0 || status.st_mode != kOurs || status.st_nlink != 1) return false;
  // The kernel gives a lease only if it is open nowhere else. Who tries to open it makes a signal: one without effect.
  return status.st_uid == ::geteuid() && ::fcntl(fd.get(), F_SETSIG, SIGURG) == 0 &&
         ::fcntl(fd.get(), F_SETLEASE, F_WRLCK) == 0;
}

}  // namespace

NewFile::NewFile(const Folder& scratch, std::string_view text, Durability durability)
    : NewFile(scratch, std::string(), text, durability) {}

NewFile::NewFile(const Folder& scratch, const std::string& spare, std::string_view text, Durability durability)
    : scratch_(scratch), spare_(spare), temporary_(spare), durability_(durability) {
  if (!spare.empty() && write_spare(text)) return;
  temporary_ = temporary_name();
  try {
    stamp_ = scratch.write_unseen(temporary_, text, durability);
  } catch (const Error&) {
    ::unlinkat(scratch.fd(), temporary_.c_str(), 0);
    throw;
  }
}

NewFile::~NewFile() {
  if (armed_ && temporary_ != spare_) ::unlinkat(scratch_.fd(), temporary_.c_str(), 0);
}

bool NewFile::write_spare(std::string_view text) {
  const Fd fd(::openat(scratch_.fd(), spare_.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd || !is_ours_alone(fd)) return false;
  stamp_ = scratch_.write_over(fd, text, durability_);
  return true;
}

// What was swapped out goes now, not at the end: by then the caller may have said that nothing of it is left.
void NewFile::leave() {
  if (!std::exchange(armed_, false) || temporary_ == spare_) return;
  if (spare_.empty()) scratch_.remove(temporary_);
  else scratch_.rename_into(temporary_, scratch_, spare_);
}

void NewFile::replace(const Folder& folder, const std::string& name) {
  scratch_.rename_into(temporary_, folder, name);
  armed_ = false;
  if (durability_ == Durability::power) folder.sync();
}

bool NewFile::create(const Folder& folder, const std::string& name) {
  if (::renameat2(scratch_.fd(), temporary_.c_str(), folder.fd(), name.c_str(), RENAME_NOREPLACE) == 0) {
    armed_ = false;
  } else if (errno != EINVAL || ::linkat(scratch_.fd(), temporary_.c_str(), folder.fd(), name.c_str(), 0) != 0) {
    // EINVAL: file systems without the flag (NFS, some FUSE) have link, which refuses an existing name too.
    if (errno == EEXIST) return false;
    fail_errno("cannot write", folder.path_of(name));
  }
  folder_mtime_ = after_change([&] { return folder.mtime_ns(); });
  if (durability_ == Durability::power) folder.sync();
  return true;
}

bool NewFile::exchange(const Folder& folder, const std::string& name, const Stamp& expected) {
  if (folder.stamp(name) != expected) return false;
  // A rename over a file makes ext4 flush the data at once, 7 times the cost of an exchange, which does not. And what
  // was swapped out can still be looked at: if it is not what we read, somebody edited it in the last microseconds.
  const auto swap = [&] {
    return ::renameat2(scratch_.fd(), temporary_.c_str(), folder.fd(), name.c_str(), RENAME_EXCHANGE) == 0;
  };
  if (swap()) {
    if (after_change([&] { return scratch_.stamp(temporary_) != expected; })) {
      if (swap()) return false;
      armed_ = false;
      const std::string kept = fmt::format("{}{}{:016x}", name, kTheirs, random_number());
      after_change([&] { scratch_.rename_into(temporary_, folder, kept); });
      fail(Code::unknown, "{}: somebody changed it at the same moment; theirs is in '{}'", folder.path_of(name),
           folder.path_of(kept));
    }
  } else if (errno == ENOENT) {
    return false;
  } else if (errno == EINVAL) {
    scratch_.rename_into(temporary_, folder, name);
    armed_ = false;
  } else {
    fail_errno("cannot write", folder.path_of(name));
  }
  folder_mtime_ = after_change([&] { return folder.mtime_ns(); });
  if (durability_ == Durability::power) folder.sync();
  after_change([&] { leave(); });
  return true;
}

}  // namespace team
