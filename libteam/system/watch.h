// Waiting for files to change, without asking again and again.
//
// inotify where the file system tells of changes; where it cannot (NFS, SMB, FUSE, 9p; or TEAM_NOTIFY=poll), wait()
// returns after 50 ms, later after up to 2 s, and the caller looks for itself. The watch begins with the constructor:
// who looks after that and then waits misses nothing.
//
// A watch is of a folder, not of its path. It also watches the parents of the folder, and reports `all` when another
// folder, or none, stands at the path. On `all` a caller must therefore ask Folder::is_in_place(), and if the answer is
// no open the folder anew and watch that one.
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
  bool all = false;      // anything may have changed; `names` does not tell
  bool untold = false;   // nor does anything else: it is only time to look
  bool removed = false;  // a file was removed: others, and the folder, may follow in a moment
  std::vector<std::string> names = {};
};

// Whether the other end of a pipe was closed.
bool is_deserted(int fd);

class Watch {
 public:
  // Of nothing yet.
  Watch();
  explicit Watch(const Folder& folder);
  // Whether the file system of this folder tells of changes at all.
  static bool is_told_of(const Folder& folder);
  // Whether this one is told of changes: a user has only so many instances of inotify.
  bool is_told() const { return static_cast<bool>(inotify_); }
  // Another folder; what is told then is of any of them. If it is no longer in its place, the next wait() returns
  // at once.
  void add(const Folder& folder);
  // One file in a folder, which must be there: when it is written; with `opened` also when somebody has had it open. As
  // `all`: when it is touched, replaced or removed.
  enum class Kind { written, opened };
  void add(const Folder& folder, const std::string& file, Kind kind);
  // Where nothing tells of changes: look at the latest after so many seconds (2 if nobody says).
  void look_every(double seconds);
  // Also wakes when nobody reads from the pipe behind `fd` any more.
  void watch_reader(int fd) { reader_ = fd; }
  // Also wakes, with no names, when something can be read from `fd`, or from another one that was named before.
  void wake_on(int fd) { wakers_.push_back(fd); }

  // Also wakes, with no names, at this moment of the boot clock (nanoseconds), which goes on while the machine sleeps;
  // 0 is never. There is one such moment.
  void wake_at(std::int64_t boot_ns);

  // Watches nothing more, and can be used anew. To end a watch costs nothing in this way; closing it takes the kernel
  // 20 to 60 ms.
  void clear();

  // Blocks until entries whose names do not begin with a dot were made, replaced, written or removed, or the deadline
  // has passed.
  Changes wait(const Deadline& deadline);

 private:
  Changes read_events();
  Changes wait_polling(const Deadline& deadline);

  struct Watched {
    bool is_folder = false;
    std::string file;             // watched by itself
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
};

}  // namespace team
