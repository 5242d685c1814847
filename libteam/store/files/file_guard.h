// For the file tools of all agents of one root: their common lock, and the folders that they must not write to.
//
// One lock serves the whole root, because one file can have several names. A change takes only a few milliseconds.
#pragma once

#include <string>
#include <vector>

#include "libteam/store/engine.h"
#include "libteam/system/file.h"
#include "libteam/system/lock.h"

namespace team {

// Held from the look at a project file until the new version is in its place. No other lock is taken under it. Throws
// again, and not_found if the root has no teams.
Lock lock_project_files(const Engine& engine);

// The folders of the store, relative to the root: the folder of all teams and every board. The board of a team is left
// out if its configuration cannot be read.
std::vector<std::string> store_folders_of(const Engine& engine);
// True if a folder of this name and path looks like one of another store: a folder of teams, or a board.
bool is_store_folder(const std::string& name, const std::string& path);

// The folder of the project, in which the store lies.
const Folder& project_folder(const Engine& engine);

}  // namespace team
