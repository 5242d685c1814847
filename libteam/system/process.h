// Running programs so that nothing of them is left behind.
//
// A program runs in a session of its own beneath a keeper: a process of ours that adopts whatever the program starts
// and abandons, and that ends all of it (TERM, 2 s, KILL) when the program has ended, when it is told to, or at once
// when we die, however we die. The keeper shares our locks, so one who died counts as dead only when nothing of what it
// ran is running any more. Who is to outlive all this must be started detached.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libteam/base/clock.h"
#include "libteam/system/file.h"

namespace team {

struct Program {
  std::vector<std::string> arguments;  // the first is looked up in PATH
  // On top of our own; without a value the variable is removed.
  std::vector<std::pair<std::string, std::optional<std::string>>> environment;
  std::optional<std::string> directory;  // else ours
  std::string input;                     // stdin; it ends after that
  int output = -1;                       // a descriptor that stdout and stderr go to; else we hear them
  // A descriptor to execute in place of the first argument, which is then only its name. A file that was checked on
  // this descriptor is the one that runs. Its interpreter reads a script through /proc/self/fd/3.
  int executable = -1;
  int folder = -1;  // a descriptor of the current folder, in place of `directory`
};

class Child {
 public:
  enum class Stream { out, err };
  using Hear = std::function<void(Stream stream, std::string_view text)>;

  // Throws io if no process can be made. That a program cannot be executed is its end with 126 or 127.
  explicit Child(const Program& program);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  // Kills it if it has not ended.
  ~Child();

  enum class Woke { ended, heard, deadline, interrupted };
  // Blocks until the program has said something, which is handed on, until it has ended and nothing of it is left,
  // until the deadline, or until `interrupt` (a descriptor, or -1) can be read from.
  Woke wait(const Deadline& deadline, int interrupt, const Hear& hear);
  // After Woke::ended: its exit status, 128 + n if signal n ended it.
  int status() const { return status_; }

  // Can be read from when it has ended, for who waits for several things.
  int end_fd() const { return report_.get(); }

  void stop() const;  // TERM, 2 s, KILL
  void kill() const;  // KILL

 private:
  void feed();
  bool drain(Fd& fd, Stream stream, const Hear& hear) const;
  bool is_over();

  pid_t keeper_ = -1;
  Fd input_, out_, err_, report_;
  std::string text_;
  std::size_t fed_ = 0;
  int status_ = 0;
};

// What a program said and how it ended, for those that are over soon. At most 64 KiB of each stream are kept.
struct Answered {
  int status = 0;
  bool in_time = true;  // false: it was stopped
  std::string out, err;
};
Answered run_program(const Program& program, double seconds);

// Starts a program that outlives us and that no keeper ends: stdin is empty, stdout and stderr go to `log`. The caller
// learns of an early end by waiting for the pid, which is its child.
pid_t start_detached(const Program& program, const Fd& log);

// A descriptor that can be read from when the process has ended.
Fd watch_process(pid_t pid);
// How a child of ours ended, as Child::status; none while it runs.
std::optional<int> ended_child(pid_t pid);

// Kills a process and all that descends from it, so that none of them can start another in between. `is_meant` is asked
// when the pid can no longer come to mean another process; false if it says so or the process has ended: nothing is
// killed then.
bool kill_tree(pid_t root, const std::function<bool()>& is_meant);

// From now on INT, TERM and HUP end nobody: they can be waited for.
class Signals {
 public:
  Signals();
  int fd() const { return fd_.get(); }
  // The next one that came; none if none did.
  std::optional<int> take() const;

 private:
  Fd fd_;
};

// The file mode mask that we were started with, for files that are not the store's.
mode_t inherited_mask();

// The folder that the running program lies in.
std::string own_folder();
// The name of this machine.
std::string host_name();

}  // namespace team
