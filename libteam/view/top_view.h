// The contents of the screen of team-top and the meaning of its keys. Input: a snapshot, a size and keys. Output: a
// picture and actions. It uses no terminal and no file, so it can be tested without them.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "libteam/record/team_view.h"
#include "libteam/report/picture.h"
#include "libteam/view/line_editor.h"
#include "libteam/view/top_pages.h"

namespace team {

// The action that a key asks for; the caller performs it.
struct TopAction {
  enum class Kind { none, quit, suspend, redraw, send, approve, reject, stop };
  Kind kind = Kind::none;
  std::string member;
  std::string text;     // the message, or the feedback to a plan
  std::string request;  // the id of the plan on the screen
};

class TopView {
 public:
  // A selected item stays selected while it exists. After that the item at its position is selected.
  Picture draw(const TeamView& snapshot, Size size, double now);
  TopAction press(const Key& key, const TeamView& snapshot);
  // Shows one line about the result of an action, until the next key.
  void say(std::string text, Output::Tone tone);
  // The member whose output is on the screen; empty if none is.
  const std::string& listens_to() const { return listens_to_; }

 private:
  enum class Pane { members, tasks, events };
  enum class Asking { nothing, message, approval, rejection, stop };
  struct Area {
    std::size_t rows = 0, columns = 0;
  };
  struct Choice {
    std::size_t index = 0;  // the selected item
    std::size_t first = 0;  // the first visible item
    std::size_t seen = 1;   // the number of visible items
  };
  enum class Showing { panes, member, task, event, help };

  void settle(const TeamView& snapshot);
  void choose(const TeamView& snapshot, std::size_t index);
  void move(const TeamView& snapshot, const Key& key);
  void scroll(const Key& key);
  std::size_t count(const TeamView& snapshot, Pane pane) const;
  Choice& choice(Pane pane) { return choices_[static_cast<std::size_t>(pane)]; }
  const ViewMember* target(const TeamView& snapshot) const;
  void open_page(const TeamView& snapshot);
  void ask(Asking asking, const TeamView& snapshot);
  TopAction answer(const Key& key);

  std::vector<Row> draw_pane(Pane pane, const TeamView& snapshot, Area area, double now);
  std::vector<Row> draw_panes(const TeamView& snapshot, Area area, double now);
  std::vector<Row> draw_page(const TeamView& snapshot, Area area, double now);
  Row draw_foot(std::size_t width, std::size_t row, std::optional<Spot>& cursor) const;

  Pane focus_ = Pane::members;
  std::array<Choice, 3> choices_;
  // The selected items.
  std::string member_;
  TaskId task_ = 0;
  std::int64_t event_ = 0;  // 0: always the latest event
  Showing showing_ = Showing::panes;
  std::optional<LogEntry> page_event_;
  std::size_t scrolled_ = 0;  // in lines: from the end of the page of a member, from the start of any other page
  std::size_t most_scrolled_ = 0, page_rows_ = 1;
  std::string listens_to_;
  Asking asking_ = Asking::nothing;
  std::string asked_about_, request_;
  LineEditor answer_;
  std::string said_;
  Output::Tone said_tone_ = Output::Tone::plain;
};

}  // namespace team
