// The tool that runs a command: in its own session, with a time limit. All its child processes end with it.
//
// The result has the beginning and the end of the output. If there is more, a file has all of it and the result names
// the file. The environment of the command contains no keys of services.
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
  std::string outputs;  // absolute folder for long outputs; made when needed
  std::string prefix;   // of the file names there
};

// bash{command, timeout, run_in_background}. `background` outlives the tools.
void add_bash_tool(Toolbox& tools, const BashPlace& place, Background& background);

// TaskOutput{task_id, block, timeout} and TaskStop{task_id}, for background programs.
void add_background_tools(Toolbox& tools, Background& background);

}  // namespace team
