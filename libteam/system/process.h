// Runs programs so that no child process is left behind.
//
// A program runs in its own session beneath a keeper, a process of ours that adopts its orphans. The keeper ends all of
// them (TERM, 2 s, KILL) when the program has ended, on request, or at once when our process dies in any way. The
// keeper shares our locks, so a dead process counts as dead only when all programs that it ran have ended. A process
// that must outlive this has to be started detached.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>

#include "libteam/base/clock.h"
#include "libteam/system/file.h"
#include "libteam/system/program.h"

namespace team {

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
  // Adds to its stdin, which Program::is_input_open keeps open. wait() passes it on as the program reads it.
  void write(std::string_view text) { text_ += text; }
  // Ends its stdin, once all of it is passed on.
  void end_input() { is_input_open_ = false; }

  // After Woke::ended: its exit status, or 128 + n if signal n ended it.
  int status() const { return status_; }

  // Readable when it has ended; for callers that wait for several things.
  int end_fd() const { return report_.get(); }

  void stop() const;  // TERM, 2 s, KILL
  void kill() const;  // KILL

 private:
  void feed();
  // True if feed() has something to do.
  bool has_input() const { return fed_ < text_.size() || !is_input_open_; }
  bool drain(Fd& fd, Stream stream, const Hear& hear) const;
  bool is_over();

  pid_t keeper_ = -1;
  std::string name_;
  Fd input_, out_, err_, report_;
  std::string text_;
  std::size_t fed_ = 0;
  bool is_input_open_ = false;
  int status_ = 0;
};

// The output and exit status of a short program. At most 64 KiB of each stream are kept.
struct Answered {
  int status = 0;
  bool in_time = true;  // false: it was stopped at the deadline
  std::string out, err;
};
Answered run_program(const Program& program, double seconds);

}  // namespace team
