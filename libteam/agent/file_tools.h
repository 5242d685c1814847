// Tools that read and change files, and nothing outside the folders that they are given.
#pragma once

#include <string>
#include <vector>

#include "libteam/agent/tool.h"

namespace team {

struct FileScope {
  std::string working_directory;        // what relative paths are relative to; absolute, allowed itself
  std::vector<std::string> allowed;     // absolute folders, the root first
  std::vector<std::string> protected_;  // beneath the root (".teams", the board): may be read, not written
};

// read_file, write_file, edit_file.
void add_file_tools(Toolbox& tools, const FileScope& scope);

}  // namespace team
