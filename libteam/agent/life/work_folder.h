// The folder that a teammate works in: its own tree of the repository, or the folder in which it was started.
//
// The process of the teammate enters that folder. So the current folder is the one place to ask, for every driver, and
// TEAM_TREE names the top of the tree.
#pragma once

#include <memory>

#include "libteam/agent/life/teammate_choice.h"
#include "libteam/repo/member_tree.h"

namespace team {

// Enters the tree of the member if the choice, the role or the setting git.trees asks for one, and makes relative paths
// of the choice absolute before that. Null without a tree. The setting has no effect outside of a repository. Call it
// before the driver is made and before the first thread starts.
std::unique_ptr<const MemberTree> enter_tree(TeammateChoice& choice, const RoleSpec& role, const TeamSession& session);

}  // namespace team
