// The messages that a hook has shown to its agent, until a later hook of the same agent shows that they arrived.
//
// A hook prints messages that it holds, and then notes their ids here. The next hook of the same run acknowledges them.
// An agent that is killed in between runs no hook any more: its messages are delivered again. On disk this is one file
// for each member, beneath `${XDG_STATE_HOME:-$HOME/.local/state}/teamkit/shown`, outside every store.
#pragma once

#include <string>
#include <vector>

#include "libteam/system/file.h"

namespace team {

class ShownMessages {
 public:
  // Throws io if there is no place for the files.
  ShownMessages(const std::string& root, const std::string& team, const std::string& member);

  // True if no other process has it: then this one has it until it ends. For the doorbell, which is alone.
  bool try_own();
  // Adds the ids of one run.
  void add(const std::string& run, const std::vector<std::string>& ids) const;
  // Removes all ids and returns those of this run. Another run's messages were not acknowledged, and come again.
  std::vector<std::string> take(const std::string& run) const;

 private:
  std::string path_;
  Fd lock_;
};

}  // namespace team
