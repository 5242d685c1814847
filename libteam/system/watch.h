// Waits for changes of files, without polling where possible.
//
// It uses inotify where the file system supports it. Elsewhere (NFS, SMB, FUSE, 9p; or TEAM_NOTIFY=poll), wait()
// returns after 50 ms, later after up to 2 s, and the caller looks for changes. The watch begins with the constructor:
// a caller that looks after it and then waits misses nothing.
//
// A watch is of a folder, not of its path. It also watches the parents of the folder, and reports `all` when another
// folder, or none, stands at the path. On `all` a caller must therefore ask Folder::is_in_place(), and if that is false
// open the folder again and watch that one.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "libteam/base/clock.h"
#include "libteam/system/file.h"

namespace team {

struct Changes {
  bool any = false;      // false: the deadline passed
  bool all = false;      // anything may have changed; `names` is incomplete
  bool untold = false;   // polling: no change is known, but it is time to look
  bool woken = false;    // by wake_on() or wake_at()
  bool removed = false;  // a file was removed: others, and the folder, may follow soon
  std::vector<std::string> names = {};
};

// True if the other end of a pipe was closed.
bool is_deserted(int fd);

class Watch {
 public:
  // Watches nothing yet.
  Watch();
  explicit Watch(const Folder& folder);
  // True if the file system of this folder reports changes.
  static bool is_told_of(const Folder& folder);
  // True if this watch gets reports: the number of inotify instances per user is limited.
  bool is_told() const { return static_cast<bool>(inotify_); }
  // Watches another folder too; wait() reports changes of any of them. If the folder is not in its place, the next
  // wait() returns at once.
  void add(const Folder& folder);
  // Watches one existing file in a folder: for writes; with `opened` also for closes after any open. If it is touched,
  // replaced or removed, wait() reports `all`.
  enum class Kind { written, opened };
  void add(const Folder& folder, const std::string& file, Kind kind);
  // When polling: the longest pause between looks in seconds (2 by default).
  void look_every(double seconds);
  // Also wakes when the pipe behind `fd` has no reader any more.
  void watch_reader(int fd) { reader_ = fd; }
  // Also wakes, with no names, when `fd` is readable. May be called for several descriptors.
  void wake_on(int fd) { wakers_.push_back(fd); }

  // Also wakes, with no names, at this moment of the boot clock (nanoseconds), which counts suspended time; 0 is never.
  // A later call replaces the moment.
  void wake_at(std::int64_t boot_ns);

  // Stops watching; the object can be used again. This costs nothing, while closing an inotify instance takes the
  // kernel 20 to 60 ms.
  void clear();

  // Blocks until an entry was made, replaced, written or removed, or the deadline passes. Ignores names that begin with
  // a dot.
  Changes wait(const Deadline& deadline);

 private:
  Changes wait_for_events(const Deadline& deadline);
  Changes read_events();
  Changes wait_polling(const Deadline& deadline);

  struct Watched {
    bool is_folder = false;
    std::string file;             // if a single file is watched
    std::set<std::string> steps;  // of the paths of watched folders
  };
  Watched* add_path(const Folder& folder, const std::string& path, std::uint32_t events);
  void add_parents(const Folder& folder);
  void take_timer() const;

  Fd inotify_;
  std::map<int, Watched> watched_;
  bool is_stale_ = false;  // a folder was not in its place when it was added
  Fd timer_;
  int reader_ = -1;
  std::vector<int> wakers_;
  int pause_ms_ = 50;
  int longest_pause_ms_ = 2000;
  std::vector<std::string> traced_;  // what is watched; empty without TEAM_TRACE
};

}  // namespace team
