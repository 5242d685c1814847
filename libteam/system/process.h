// Runs programs so that no child process is left behind.
//
// A program runs in its own session beneath a keeper, a process of ours that adopts its orphans. The keeper ends all of
// them (TERM, 2 s, KILL) when the program has ended, on request, or at once when our process dies in any way. The
// keeper shares our locks, so a dead process counts as dead only when all programs that it ran have ended. A process
// that must outlive this has to be started detached.
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
  // Changes to our own environment; a variable without a value is removed.
  std::vector<std::pair<std::string, std::optional<std::string>>> environment;
  std::optional<std::string> directory;  // none: ours
  std::string input;                     // the whole stdin
  int output = -1;                       // a descriptor for stdout and stderr; -1: wait() passes them on
  // A descriptor to execute in place of the first argument, which is then only its name. So the file that runs is the
  // one that was checked. An interpreter reads a script through /proc/self/fd/3.
  int executable = -1;
  int folder = -1;  // a descriptor of the current folder, in place of `directory`
};

class Child {
 public:
  enum class Stream { out, err };
  using Hear = std::function<void(Stream stream, std::string_view text)>;

  // Throws io if no process can be made. A program that cannot be executed ends with 126 or 127.
  explicit Child(const Program& program);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  // Kills it if it has not ended.
  ~Child();

  enum class Woke { ended, heard, deadline, interrupted };
  // Blocks until the program wrote output (passed to `hear`), the program and its children have ended, the deadline
  // passes, or `interrupt` (a descriptor, or -1) is readable.
  Woke wait(const Deadline& deadline, int interrupt, const Hear& hear);
  // After Woke::ended: its exit status, or 128 + n if signal n ended it.
  int status() const { return status_; }

  // Readable when it has ended; for callers that wait for several things.
  int end_fd() const { return report_.get(); }

  void stop() const;  // TERM, 2 s, KILL
  void kill() const;  // KILL

 private:
  void feed();
  bool drain(Fd& fd, Stream stream, const Hear& hear) const;
  bool is_over();

  pid_t keeper_ = -1;
  std::string name_;
  Fd input_, out_, err_, report_;
  std::string text_;
  std::size_t fed_ = 0;
  int status_ = 0;
};

// The output and exit status of a short program. At most 64 KiB of each stream are kept.
struct Answered {
  int status = 0;
  bool in_time = true;  // false: it was stopped at the deadline
  std::string out, err;
};
Answered run_program(const Program& program, double seconds);

// Starts a program that outlives us and that no keeper ends: stdin is empty, stdout and stderr go to `log`. The pid is
// a child of the caller, which can wait for it to notice an early end.
pid_t start_detached(const Program& program, const Fd& log);

// A descriptor that is readable when the process has ended.
Fd watch_process(pid_t pid);
// The exit status of a child, as Child::status; none while it runs.
std::optional<int> ended_child(pid_t pid);

// Kills a process and all its descendants; none of them can start another in between. `is_meant` is called when the pid
// can no longer be reused. Returns false, and kills nothing, if `is_meant` returns false or the process has ended.
bool kill_tree(pid_t root, const std::function<bool()>& is_meant);

// From construction on, INT, TERM and HUP do not end the process: it can wait for them.
class Signals {
 public:
  Signals();
  int fd() const { return fd_.get(); }
  // The next signal that arrived; none if there is none.
  std::optional<int> take() const;

 private:
  Fd fd_;
};

// The file mode mask of our caller, for files outside of the store.
mode_t inherited_mask();

// The folder of the running program.
std::string own_folder();
// The name of this machine.
std::string host_name();

}  // namespace team
