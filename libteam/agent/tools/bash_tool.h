// The tool that runs a command: in a session of its own, with a time limit, ended with all that it started.
//
// Of what it says the beginning and the end are given back; where that is not all, all of it is kept in a file that is
// named. Keys of services are not in its environment.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libteam/agent/tools/background.h"
#include "libteam/agent/tools/tool.h"

namespace team {

struct BashPlace {
  std::string directory;                                                        // where commands run
  std::vector<std::pair<std::string, std::optional<std::string>>> environment;  // as in Program
  std::string outputs;  // an absolute folder for what is too long; made when needed
  std::string prefix;   // of the files there
};

// bash{command, timeout, run_in_background}. `background` outlives the tools.
void add_bash_tool(Toolbox& tools, const BashPlace& place, Background& background);

// TaskOutput{task_id, block, timeout} and TaskStop{task_id}, for what runs in the background.
void add_background_tools(Toolbox& tools, Background& background);

}  // namespace team
