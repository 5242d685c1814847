// The keys of services: taken from the environment once and put away, so that nobody whom we run has them but those who
// need them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libteam/system/file.h"

namespace team {

// Variables and their values.
using Keys = std::vector<std::pair<std::string, std::optional<std::string>>>;

// Whether a variable of this name holds a key.
bool is_secret(std::string_view variable);

// Those that are in the environment; they stay there.
Keys keys_in_environment();
// Takes them out of the environment, also as the kernel shows it to others of this user, and out of the pipe that
// TEAM_KEYS names, if it does. Before there is another thread: the environment belongs to all of them.
Keys put_keys_away();
// Empty if it is not there.
std::string key_of(const Keys& keys, const std::string& variable);

// Hands keys to a program that gets its environment from somebody else, such as a tmux that runs already: through a
// pipe with a name, so that they are in no file and no argument. Goes with this.
class KeyPipe {
 public:
  // In a folder that is ours alone. Throws io.
  KeyPipe(const Folder& folder, const Keys& keys);
  KeyPipe(const KeyPipe&) = delete;
  KeyPipe& operator=(const KeyPipe&) = delete;
  ~KeyPipe();
  // What TEAM_KEYS is to be.
  std::string path() const;

 private:
  const Folder& folder_;
  std::string name_;
  Fd end_;
};

}  // namespace team
