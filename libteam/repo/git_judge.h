// Decides by the branch of the team whether a landing has happened.
#pragma once

#include <memory>
#include <string>

#include "libteam/store/landing_judge.h"

namespace team {

// For the repository of this root, which is opened when it is first needed. `lock_timeout` is in seconds.
std::shared_ptr<const LandingJudge> make_git_judge(std::string root, double lock_timeout);

}  // namespace team
