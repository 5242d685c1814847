// A program to start: its arguments, its environment and its descriptors.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libteam/system/file.h"

namespace team {

struct Program {
  std::vector<std::string> arguments;  // the first is looked up in PATH
  // Changes to our own environment; a variable without a value is removed.
  std::vector<std::pair<std::string, std::optional<std::string>>> environment;
  std::optional<std::string> directory;  // none: ours
  std::string input;                     // the whole stdin, or its beginning
  bool is_input_open = false;            // stdin stays open for Child::write()
  int output = -1;                       // a descriptor for stdout and stderr; -1: Child::wait() passes them on
  // A descriptor to execute in place of the first argument, which is then only its name. So the file that runs is the
  // one that was checked. An interpreter reads a script through /proc/self/fd/3.
  int executable = -1;
  int folder = -1;  // a descriptor of the current folder, in place of `directory`
};

// Executes the program in this process, which was forked for it and in which stdin, stdout and stderr are in place. The
// program gets a session of its own, no other descriptors of ours, and the signal state and file mode mask that a shell
// gives to it. A program that cannot be executed ends with 126 or 127 and a message on stderr.
[[noreturn]] void become(const Program& program);

// Starts a program that outlives us and that no keeper ends: stdin is empty, stdout and stderr go to `log`. The pid is
// a child of the caller, which can wait for it to notice an early end.
pid_t start_detached(const Program& program, const Fd& log);

// The exit status of a child, as Child::status; none while it runs.
std::optional<int> ended_child(pid_t pid);
// Converts a status of waitpid(2) to the exit status of the program, or to 128 + n if signal n ended the program.
int exit_status(int wait_status);

// Makes `fd` the descriptor `as` of a program that this process is about to execute.
void place(int fd, int as);

// The file mode mask of our caller, for programs and for files outside of the store.
mode_t inherited_mask();

// The folder of the running program.
std::string own_folder();

}  // namespace team
