// Waiting for files to change, without asking again and again.
//
// inotify where the file system tells of changes; where it cannot (NFS, SMB, FUSE, 9p; or TEAM_NOTIFY=poll), wait()
// returns after 50 ms, later after up to 2 s, and the caller looks for itself. The watch begins with the constructor:
// who looks after that and then waits misses nothing.
#pragma once

#include <string>
#include <vector>

#include "libteam/base/clock.h"
#include "libteam/system/file.h"

namespace team {

struct Changes {
  bool any = false;  // false: the deadline passed
  bool all = false;  // anything may have changed; `names` does not tell
  std::vector<std::string> names;
};

// Whether the other end of a pipe was closed.
bool is_deserted(int fd);

class Watch {
 public:
  explicit Watch(const Folder& folder);
  // Another folder; what is told then is of any of them.
  void add(const Folder& folder);
  // Where nothing tells of changes: look at the latest after so many seconds (2 if nobody says).
  void look_every(double seconds);
  // Also wakes when nobody reads from the pipe behind `fd` any more.
  void watch_reader(int fd) { reader_ = fd; }
  // Also wakes, with no names, when something can be read from `fd`, or from another one that was named before.
  void wake_on(int fd) { wakers_.push_back(fd); }

  // Blocks until entries whose names do not begin with a dot were made, replaced, written or removed, or the deadline
  // has passed.
  Changes wait(const Deadline& deadline);

 private:
  Changes read_events();
  Changes wait_polling(const Deadline& deadline);

  Fd inotify_;
  int reader_ = -1;
  std::vector<int> wakers_;
  int pause_ms_ = 50;
  int longest_pause_ms_ = 2000;
};

}  // namespace team
