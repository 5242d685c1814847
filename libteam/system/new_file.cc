#include "libteam/system/new_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "libteam/base/error.h"
#include "libteam/system/random.h"

namespace team {

NewFile::NewFile(const Folder& scratch, std::string_view text, Durability durability, Guard guard)
    : scratch_(scratch), durability_(durability) {
  if (guard == Guard::own_lock) guard_.emplace(Temporary::file(scratch));
  temporary_ = guard_ ? guard_->name() : temporary_name();
  try {
    stamp_ =
        guard_ ? scratch.write_into(temporary_, text, durability) : scratch.write_unseen(temporary_, text, durability);
  } catch (const Error&) {
    ::unlinkat(scratch.fd(), temporary_.c_str(), 0);
    throw;
  }
}

NewFile::~NewFile() {
  if (armed_) ::unlinkat(scratch_.fd(), temporary_.c_str(), 0);
  if (guard_) guard_->keep();
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
  scratch_.trace_rename(temporary_, folder, name);
  folder_mtime_ = after_change([&] { return folder.mtime_ns(); });
  if (durability_ == Durability::power) folder.sync();
  return true;
}

bool NewFile::exchange(const Folder& folder, const std::string& name, const Stamp& expected) {
  if (folder.stamp(name) != expected) return false;
  // A rename over a file makes ext4 flush the data at once, at 7 times the cost of an exchange. After an exchange the
  // old file can still be checked: if it is not the version that we read, somebody edited it in the last microseconds.
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
    scratch_.trace_rename(temporary_, folder, name);
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
  // Removes the old file now and not at the end: by then the caller may have reported that nothing of it is left. The
  // change is made, also if that fails.
  if (std::exchange(armed_, false)) {
    try {
      scratch_.remove(temporary_);
    } catch (const Error&) {
      has_leftover_ = true;
    }
  }
  return true;
}

Stamp replace_file(const Folder& folder, const std::string& name, std::string_view text, Durability durability) {
  NewFile file(folder, text, durability);
  file.replace(folder, name);
  return file.stamp();
}

}  // namespace team
