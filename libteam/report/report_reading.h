// Reads a team for a report, or for one picture of it. Takes no lock.
#pragma once

#include <functional>

#include "libteam/report/report_page.h"
#include "libteam/store/board_view.h"
#include "libteam/store/engine.h"
#include "libteam/store/mail.h"

namespace team {

// Where things that cannot be read are reported.
struct ReportTroubles {
  BoardView::Report broken;                           // a task
  std::function<void(std::size_t lines)> not_events;  // lines of the log that are no events
};

// `mail` and `view` are those of the team.
Report read_report(const Engine& engine, const Team& team, const Mail& mail, const BoardView& view,
                   const ReportTroubles& troubles);

}  // namespace team
