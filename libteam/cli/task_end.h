// task-fail and task-release: a task leaves its owner's hands, with the reason.
#pragma once

#include "libteam/record/task.h"

namespace team {

// The whole command: to failed, or back to pending.
int end_task(int argc, char** argv, Status status);

}  // namespace team
