// The full-screen pages of team-top, with all details of one member, task or event.
#pragma once

#include <string>
#include <vector>

#include "libteam/record/team_view.h"
#include "libteam/report/picture.h"

namespace team {

// A row of a page: a line of text of at most the requested width.
struct PageLine {
  std::string text;
  Output::Tone tone = Output::Tone::plain;
};
using Page = std::vector<PageLine>;

// The member and its state, then its latest output, with a pending plan at the end.
Page facts_of(const ViewMember& member, std::size_t width, double now);
Page speech_of(const ViewMember& member, const TeamView& snapshot, std::size_t width);

// All fields of a task, its blockers and its dependents.
Page page_of(TaskId id, const TeamView& snapshot, std::size_t width, double now);
Page page_of(const LogEntry& event, std::size_t width);
Page help_page(std::size_t width);

Output::Tone tone_of_state(const ViewMember& member);
// "plan?" for a member with a pending plan.
std::string shown_state(const ViewMember& member);

}  // namespace team
