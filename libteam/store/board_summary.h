// The board in few words, for a model.
#pragma once

#include <cstddef>
#include <string>

#include "libteam/store/board_view.h"

namespace team {

// One line a task, in order of id: `#3 [in_progress] "Design schema" (by lead; owner: backend; waits for #1, #2)`.
// Texts of members are escaped (base/markup.h), so a subject cannot close its quotes. Lists at most `most` tasks. Tasks
// in progress come first, then ready, blocked, failed and unreadable tasks, then the latest completed ones. A last line
// counts the rest. The same board gives the same text, without times and without a final newline. Memory is needed only
// for the listed tasks.
enum class SummaryDetail { lines, texts };  // texts: the beginning of description and result under each line
std::string summarize_board(const BoardView& view, std::size_t most, SummaryDetail detail = SummaryDetail::lines);

// What a member needs to know to do a task that it has claimed, besides the subject: the description and the results of
// its blockers, each enclosed in a tag that names its author. Begins with a newline; empty if there is nothing to say.
// A blocker that cannot be read is left out.
std::string describe_claimed(const BoardView& view, const Task& task);

// The text of one task.
std::string summary_of(const SeenTask& seen, SummaryDetail detail);

}  // namespace team
