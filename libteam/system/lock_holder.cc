#include "libteam/system/lock_holder.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "libteam/base/number.h"
#include "libteam/base/text.h"
#include "libteam/system/flock.h"

namespace team {

namespace {

using FileOfC = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

FileOfC open_list(const std::string& path) {
  return {std::fopen(path.c_str(), "re"), [](std::FILE* file) { return std::fclose(file); }};
}

// A file in the form that /proc/locks uses.
struct Place {
  unsigned major_number = 0, minor_number = 0;
  unsigned long inode = 0;
  bool operator==(const Place&) const = default;
};

// The device is that of the mount: btrfs and overlayfs show another one in stat(2).
std::optional<Place> place_of(const Fd& file) {
  struct statx status {};
  if (::statx(file.get(), "", AT_EMPTY_PATH, STATX_INO | STATX_MNT_ID, &status) != 0) return std::nullopt;
  Place place{status.stx_dev_major, status.stx_dev_minor, static_cast<unsigned long>(status.stx_ino)};
  const FileOfC mounts = open_list("/proc/self/mountinfo");
  char line[256];
  bool at_start = true;  // of a line, which may be longer than the buffer
  while (mounts && std::fgets(line, sizeof line, mounts.get()) != nullptr) {
    unsigned long long mount = 0;
    Place found = place;
    const bool parsed =
        at_start && std::sscanf(line, "%llu %*u %u:%u", &mount, &found.major_number, &found.minor_number) == 3;
    if (parsed && mount == status.stx_mnt_id) return found;
    at_start = std::strchr(line, '\n') != nullptr;
  }
  return place;
}

struct Entry {
  int pid = 0;
  Place place;
};

// "1: FLOCK ADVISORY WRITE 4711 fe:01:1234 0 EOF"; none for other kinds of locks and for waiting processes ("->").
std::optional<Entry> parse_lock(const char* text) {
  char kind[16];
  Entry entry;
  const int found = std::sscanf(text, "%*d: %15s %*s %*s %d %x:%x:%lu", kind, &entry.pid, &entry.place.major_number,
                                &entry.place.minor_number, &entry.place.inode);
  return found == 5 && std::strcmp(kind, "FLOCK") == 0 ? std::optional(entry) : std::nullopt;
}

// The process that took the lock, in the namespace of /proc. It may have ended: then the lock belongs to a process that
// inherited its descriptors. The kernel gives the list in parts, and locks change in between, so an entry can be
// missed.
std::optional<int> taker_of(const Place& place) {
  const FileOfC locks = open_list("/proc/locks");
  char line[256];
  while (locks && std::fgets(line, sizeof line, locks.get()) != nullptr) {
    const auto entry = parse_lock(line);
    if (entry && entry->place == place && entry->pid > 0) return entry->pid;
  }
  return std::nullopt;
}

enum class Answer { yes, no, not_allowed };

Answer has_lock(int pid, const Place& place) {
  const std::string folder = fmt::format("/proc/{}/fdinfo", pid);
  const std::unique_ptr<DIR, int (*)(DIR*)> descriptors(::opendir(folder.c_str()), ::closedir);
  if (!descriptors) return errno == EACCES || errno == EPERM ? Answer::not_allowed : Answer::no;
  while (const dirent* descriptor = ::readdir(descriptors.get())) {
    if (descriptor->d_name[0] == '.') continue;
    const FileOfC information = open_list(fmt::format("{}/{}", folder, descriptor->d_name));
    char line[256];
    constexpr std::string_view kLock = "lock:";
    while (information && std::fgets(line, sizeof line, information.get()) != nullptr) {
      if (!std::string_view(line).starts_with(kLock)) continue;
      const auto entry = parse_lock(line + kLock.size());
      if (entry && entry->place == place) return Answer::yes;
    }
  }
  return Answer::no;
}

std::optional<int> first_that_has(const Place& place) {
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(::opendir("/proc"), ::closedir);
  while (const dirent* entry = proc ? ::readdir(proc.get()) : nullptr) {
    const auto pid = parse_integer(entry->d_name);
    if (pid && has_lock(static_cast<int>(*pid), place) == Answer::yes) return static_cast<int>(*pid);
  }
  return std::nullopt;
}

// True if /proc shows the processes of our pid namespace: then it has one number for us, our own. For an outer
// namespace it has one number for each namespace from there to ours.
bool can_see_processes() {
  const FileOfC status = open_list("/proc/self/status");
  char line[256];
  while (status && std::fgets(line, sizeof line, status.get()) != nullptr) {
    int pid = 0;
    int inner = 0;
    const int found = std::sscanf(line, "NSpid: %d %d", &pid, &inner);
    if (found >= 1) return found == 1 && pid == ::getpid();
  }
  return false;
}

struct Look {
  std::optional<int> pid;
  bool is_listed = false;
};

Look look_for_holder(const Fd& lock) {
  const auto place = can_see_processes() ? place_of(lock) : std::nullopt;
  if (!place) return {};
  const auto taker = taker_of(*place);
  // The descriptors of another user's process are not visible, but the kernel gave its pid.
  if (taker && has_lock(*taker, *place) != Answer::no) return {taker, true};
  return {first_that_has(*place), taker.has_value()};
}

std::string command_of(int pid) {
  char name[64];
  const FileOfC file = open_list(fmt::format("/proc/{}/comm", pid));
  return file && std::fgets(name, sizeof name, file.get()) != nullptr ? first_line(name) : std::string();
}

}  // namespace

std::optional<int> holder_of(const Folder& folder, const std::string& name) {
  const Fd lock = look_at_lock(folder, name) == Held::yes ? folder.open_if_there(name, O_RDONLY) : Fd();
  return lock ? look_for_holder(lock).pid : std::nullopt;
}

bool holds_lock(int pid, const Folder& folder, const std::string& name) {
  const Fd lock = pid > 0 && can_see_processes() ? folder.open_if_there(name, O_RDONLY) : Fd();
  const auto place = lock ? place_of(lock) : std::nullopt;
  return place && has_lock(pid, *place) == Answer::yes;
}

Holder describe_holder(const Fd& lock) {
  const Look found = look_for_holder(lock);
  if (!found.pid) return {"", found.is_listed};
  const std::string command = command_of(*found.pid);
  return {command.empty() ? fmt::format("pid {}", *found.pid) : fmt::format("pid {} ({})", *found.pid, command), true};
}

bool is_about_to_be_free(const Folder& folder, const std::string& name) {
  const bool is_held = look_at_lock(folder, name) == Held::yes;
  const Fd lock = is_held && can_see_processes() ? folder.open_if_there(name, O_RDONLY) : Fd();
  const auto place = lock ? place_of(lock) : std::nullopt;
  if (!place) return false;
  const auto taker = taker_of(*place);
  const Answer has = taker ? has_lock(*taker, *place) : Answer::no;
  // Another process inherited the lock of an ended one; or nobody has the lock any more.
  if (has == Answer::no) return taker || first_that_has(*place);
  const FileOfC status = open_list(fmt::format("/proc/{}/status", *taker));
  if (!status) return true;
  char line[256];
  while (std::fgets(line, sizeof line, status.get()) != nullptr) {
    char state = 0;
    unsigned long long pending = 0;
    if (std::sscanf(line, "State: %c", &state) == 1 && (state == 'Z' || state == 'X')) return true;
    constexpr unsigned long long kKill = 1ULL << (SIGKILL - 1);
    const bool parsed =
        std::sscanf(line, "SigPnd: %llx", &pending) == 1 || std::sscanf(line, "ShdPnd: %llx", &pending) == 1;
    if (parsed && (pending & kKill) != 0) return true;
  }
  return false;
}

}  // namespace team
