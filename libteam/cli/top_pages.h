// What fills the screen of team-top when somebody wants to know more: all there is to know of one thing.
#pragma once

#include <string>
#include <vector>

#include "libteam/cli/picture.h"
#include "libteam/record/scene.h"

namespace team {

// A row of a page: a line of text that is at most so wide as was asked for.
struct PageLine {
  std::string text;
  Output::Tone tone = Output::Tone::plain;
};
using Page = std::vector<PageLine>;

// Who it is and how it is; and then what it says, with a plan that waits for an answer at the end.
Page facts_of(const SceneMember& member, std::size_t width, double now);
Page speech_of(const SceneMember& member, const Scene& scene, std::size_t width);

// All fields of a task, what it waits for and what waits for it.
Page page_of(TaskId id, const Scene& scene, std::size_t width, double now);
Page page_of(const Happening& event, std::size_t width);
Page help_page(std::size_t width);

Output::Tone tone_of_state(const SceneMember& member);
Output::Tone tone_of(Posture posture);
// "plan?" for one whose plan waits for an answer.
std::string shown_state(const SceneMember& member);

}  // namespace team
