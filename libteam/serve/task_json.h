// Tasks as the JSON of responses.
#pragma once

#include <string>
#include <vector>

#include "libteam/serve/http.h"
#include "libteam/serve/request_body.h"
#include "libteam/store/board_view.h"
#include "libteam/store/task_operations.h"

namespace team {

// The object of task-get --json.
std::string task_json(const BoardView& view, const Task& task);

// The tasks that the query selects (status, owner, ready, blocked, ids, after, limit), each with the keys that `fields`
// names. A broken task is an object with id, code and error.
std::string task_list_json(const BoardView& view, const WebRequest& request);

// The change that the keys of a request describe, without its task. Throws usage.
TaskChange read_task_change(const RequestBody& body);

// The response after a change: the task, and `freed`. Throws unknown if a step failed after the change.
WebResponse changed_task(const BoardView& view, const TaskUpdate& update);

}  // namespace team
