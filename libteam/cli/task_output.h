// Prints a task: as a record, as JSON, as a row of a table, as a page.
#pragma once

#include "libteam/cli/context.h"
#include "libteam/store/board_view.h"

namespace team {

// For the end of a command: throws unknown if a step failed after the change was made.
void report_trouble(const std::string& trouble);

// id, status, owner, priority, open blockers, subject.
std::vector<std::string> task_headings();
std::vector<Cell> task_row(const SeenTask& seen);

// Prints tasks in the format that the options choose.
void print_tasks(Context& context, const std::vector<Task>& tasks);
void print_task(Context& context, const Task& task);

// Prints all details of one task.
void print_task_page(Context& context, const SeenTask& seen);

// Writes one line to stderr about a task whose file cannot be read; the command continues.
void warn_of_broken(TaskId id, const Error& error);
void warn_of(const Error& error);

}  // namespace team
