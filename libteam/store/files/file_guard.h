// What the file tools of all agents of one root share: a lock, and the folders that they must not write to.
//
// The lock is `.teams/.files.lock`. There is one for the whole root and not one for each file: a file can be reached
// by several names, and a change of a file takes a few milliseconds.
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

// The boards of all teams and the default one, relative to the root. A team whose configuration cannot be read is left
// out.
std::vector<std::string> boards_of(const Engine& engine);

// The folder of the project, in which the store lies.
const Folder& project_folder(const Engine& engine);

}  // namespace team
