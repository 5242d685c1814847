// The keys of model services. A process that calls a service removes them from its environment, so that programs that
// it starts do not inherit them.
#pragma once

#include <string>

#include "libteam/system/environment.h"

namespace team {

// Variables and their values.
using Keys = Variables;

// The keys in the environment; they stay there.
Keys keys_in_environment();
// Removes them from the environment, also from the copy that the kernel shows to other processes of this user. Call it
// before the first thread starts: threads share the environment.
Keys put_keys_away();
// Empty if it is missing.
std::string key_of(const Keys& keys, const std::string& variable);

// For a program that gets only the variables it needs. Removes all variables except the ones that `names` match (as in
// only()) and the ones that every program expects, such as PATH and HOME.
Variables clean_environment(std::vector<std::string> names);

}  // namespace team
