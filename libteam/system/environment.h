// The environment of this process, and the environment of programs that it starts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libteam/system/file.h"

namespace team {

// Changes to an environment, in their order: a variable without a value is removed.
using Variables = std::vector<std::pair<std::string, std::optional<std::string>>>;

// Removes each variable of this process's environment that holds a secret (libteam/base/secrets.h).
Variables without_secrets();

// Removes each variable of this process's environment that no pattern matches. A pattern is a name, or the beginning of
// one followed by "*".
Variables only(const std::vector<std::string>& patterns);

// Gives the whole environment of this process to a process that inherits the environment of another one, such as a pane
// of a tmux server that was already running. The text is only in memory: in no file, no argument, no environment. It is
// gone when this object or this process ends.
class EnvironmentHandover {
 public:
  // `changes` apply to the environment that is handed over. Throws io.
  explicit EnvironmentHandover(const Variables& changes);
  EnvironmentHandover(const EnvironmentHandover&) = delete;
  EnvironmentHandover& operator=(const EnvironmentHandover&) = delete;

  // The value that TEAM_ENVIRONMENT must have in the other process. It is not a secret: only processes of the same user
  // can use it.
  std::string address() const;

 private:
  std::string name_;
  Fd memory_;
};

// If TEAM_ENVIRONMENT is set: executes this program again, with the same arguments, in the environment that was handed
// over. Only the variables that describe the terminal stay. Throws io if that environment cannot be read any more:
// nothing may run then, since a key and its address could come from different environments.
void adopt_environment();

}  // namespace team
