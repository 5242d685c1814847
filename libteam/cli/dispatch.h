// One executable, many commands: each command is run by the name under which the executable is called.
//
// Every command name is a hard link to one of two executables: `teamkit`, which is static, and `teamkit-net`, which
// has the commands that talk to models. Both know the names of all commands, and start the other one where needed.
#pragma once

#include <span>
#include <string_view>

namespace team {

struct CommandEntry {
  std::string_view name;
  std::string_view purpose;
  int (*run)(int argc, char** argv);  // null: the other executable has it
};

// Runs the command that argv[0] names. Under any other name this is teamkit(1): argv[1] names the command. `other` is
// the name of the other executable. Returns the exit status.
int dispatch(std::span<const CommandEntry> commands, const char* other, int argc, char** argv);

}  // namespace team
