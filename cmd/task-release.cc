// task-release - give a claimed task back

#include "libteam/cli/task_end.h"

int task_release(int argc, char** argv) { return team::end_task(argc, argv, team::Status::pending); }
