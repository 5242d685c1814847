// The board in few words, for a model.
#pragma once

#include <cstddef>
#include <string>

#include "libteam/store/board_view.h"

namespace team {

// One line a task, in order of id: `#3 [in_progress] "Design schema" (by lead; owner: backend; waits for #1, #2)`. What
// members wrote is escaped (base/markup.h), and a subject cannot close its quotes. At most `most` tasks: those in
// progress, ready, blocked, failed and unreadable, in this order, then the latest that were completed; a last line
// counts the others. The same board gives the same text: it has no times, and no newline at its end. However large the
// board is, only what may be shown is kept.
enum class SummaryDetail { lines, texts };  // texts: the beginning of description and result under each line
std::string summarize_board(const BoardView& view, std::size_t most, SummaryDetail detail = SummaryDetail::lines);

// The text of one task.
std::string summary_of(const SeenTask& seen, SummaryDetail detail);

}  // namespace team
