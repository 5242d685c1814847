// task-fail and task-release: the owner gives a task up, with the reason.
#pragma once

#include "libteam/record/task.h"

namespace team {

// The whole command: the task becomes failed, or pending again.
int end_task(int argc, char** argv, Status status);

}  // namespace team
