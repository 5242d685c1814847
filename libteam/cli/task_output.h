// How a task looks: as a record, as JSON, as a row of a table, as a page.
#pragma once

#include "libteam/cli/context.h"
#include "libteam/store/board_view.h"
#include "libteam/store/task_operations.h"

namespace team {

// The changes of tasks in the name of who acts, with the mail of the team if there is one.
TaskOperations operations_of(Context& context);
// For the end of a command: throws unknown if something went wrong after the change was made.
void report_trouble(const std::string& trouble);

// id, status, owner, priority, open blockers, subject.
std::vector<std::string> task_headings();
std::vector<Cell> task_row(const SeenTask& seen);

// Tasks that were changed or asked for, as the options say.
void print_tasks(Context& context, const std::vector<Task>& tasks);
void print_task(Context& context, const Task& task);

// Everything there is to know of one task.
void print_task_page(Context& context, const SeenTask& seen);

Output::Tone tone_of(Status status);

// One line on stderr about a task whose file cannot be read; the rest goes on.
void warn_of_broken(TaskId id, const Error& error);
void warn_of(const Error& error);

}  // namespace team
