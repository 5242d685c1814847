// The status of a team, and the reasons why a task makes no progress. Takes no lock.
#pragma once

#include <string>
#include <vector>

#include "libteam/record/status.h"
#include "libteam/record/team.h"
#include "libteam/store/board_view.h"
#include "libteam/store/team_engine.h"

namespace team {

// The status of each member, without its task, which only the board knows.
std::vector<MemberStatus> look_at_members(const TeamEngine& engine, const Team& team);

// Adds what the members wrote or sent last, by the latest events.
void find_last_words(std::vector<MemberStatus>& members, const EventLog& events);

TeamStatus look_at_team(const TeamEngine& engine, const Team& team, const BoardView& view,
                        const BoardView::Report& broken);

// One reason why a task is not ready or not completed.
struct Reason {
  TaskId task;
  std::string kind;  // completed, failed, running, dead, blocked, missing, broken, assigned, role, ready
  std::string text;
};

std::string to_line(const Reason& reason);

// Never empty: a task that nothing holds back is `ready`. Without a team both pointers are null.
std::vector<Reason> explain(const Task& task, const TeamEngine* engine, const Team* team, const BoardView& view);

}  // namespace team
