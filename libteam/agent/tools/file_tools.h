// Tools that read and change files, only inside the given folders.
//
// Two agents that edit one file at the same time lose no edit. Each tool holds a lock from reading the file until the
// new version is in its place. Programs that do not take the lock (an editor, a command of bash) are not blocked. So an
// edit is refused if the file changed since it was read.
//
// Stores of teams and folders of git can be read but not written, under every name that leads to them.
#pragma once

#include "libteam/agent/tools/allowed_files.h"
#include "libteam/agent/tools/tool.h"

namespace team {

// read_file, write_file, edit_file.
void add_file_tools(Toolbox& tools, const FileScope& scope);

}  // namespace team
