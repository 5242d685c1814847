// Looking at a whole team, and at why one task does not move. Takes no lock.
#pragma once

#include <string>
#include <vector>

#include "libteam/record/status.h"
#include "libteam/record/team.h"
#include "libteam/store/board_view.h"
#include "libteam/store/team_engine.h"

namespace team {

// The members and how they are; which task they hold is for the board to say.
std::vector<MemberStatus> look_at_members(const TeamEngine& engine, const Team& team);

TeamStatus look_at_team(const TeamEngine& engine, const Team& team, const BoardView& view,
                        const BoardView::Report& broken);

// One reason why a task is not ready or not done: what it is about, what kind, in words.
struct Reason {
  TaskId task;
  std::string kind;  // completed, failed, running, dead, blocked, missing, broken, assigned, role, ready
  std::string text;
};

std::string to_line(const Reason& reason);

// Never empty: a task that nothing holds back is `ready`. Without a team both pointers are null.
std::vector<Reason> explain(const Task& task, const TeamEngine* engine, const Team* team, const BoardView& view);

}  // namespace team
