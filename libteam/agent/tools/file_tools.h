// Tools that read and change files, and nothing outside the folders that they are given.
//
// Two agents that edit one file at the same time lose no edit: a lock is held from the look at the file until the new
// version is in its place. Programs that do not take the lock (an editor, a command of bash) are not held off; an edit
// is refused if such a program changed the file since it was read.
//
// The stores of teams and the folders of git can be read and not written, by whatever name they are reached.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "libteam/agent/tools/tool.h"
#include "libteam/system/lock.h"

namespace team {

struct FileScope {
  std::string working_directory;     // what relative paths are relative to; absolute, allowed itself
  std::vector<std::string> allowed;  // absolute folders, the root first
  // The boards of all teams as they are now, relative to the root. They may be read and not written.
  std::function<std::vector<std::string>()> boards;
  // Held for each change of a file.
  std::function<Lock()> lock;
};

// read_file, write_file, edit_file.
void add_file_tools(Toolbox& tools, const FileScope& scope);

}  // namespace team
