// task-fail - mark a task as failed, with the reason

#include "libteam/cli/task_end.h"

int task_fail(int argc, char** argv) { return team::end_task(argc, argv, team::Status::failed); }
