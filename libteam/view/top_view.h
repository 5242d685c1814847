// What team-top shows and what its keys mean. Knows no terminal and no file: a scene, a size and keys in, a picture and
// wishes out.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "libteam/record/team_view.h"
#include "libteam/report/picture.h"
#include "libteam/view/line_editor.h"
#include "libteam/view/top_pages.h"

namespace team {

// What somebody else is to do now.
struct TopWish {
  enum class Kind { none, quit, suspend, redraw, send, approve, reject, stop };
  Kind kind = Kind::none;
  std::string member;
  std::string text;     // the message, or what is said to a plan
  std::string request;  // the plan that was on the screen
};

class TopView {
 public:
  // What is chosen stays chosen as long as it is there; then what stands in its place is.
  Picture draw(const TeamView& scene, Size size, double now);
  TopWish press(const Key& key, const TeamView& scene);
  // One line about what became of a wish, until the next key.
  void say(std::string text, Output::Tone tone);
  // Whose words are on the screen; empty if nobody's.
  const std::string& listens_to() const { return listens_to_; }

 private:
  enum class Pane { members, tasks, events };
  enum class Asking { nothing, message, approval, rejection, stop };
  struct Area {
    std::size_t rows = 0, columns = 0;
  };
  struct Choice {
    std::size_t index = 0;  // of what is chosen
    std::size_t first = 0;  // that is seen
    std::size_t seen = 1;   // how many are
  };
  enum class Showing { panes, member, task, event, help };

  void settle(const TeamView& scene);
  void choose(const TeamView& scene, std::size_t index);
  void move(const TeamView& scene, const Key& key);
  void scroll(const Key& key);
  std::size_t count(const TeamView& scene, Pane pane) const;
  Choice& choice(Pane pane) { return choices_[static_cast<std::size_t>(pane)]; }
  const ViewMember* target(const TeamView& scene) const;
  void open_page(const TeamView& scene);
  void ask(Asking asking, const TeamView& scene);
  TopWish answer(const Key& key);

  std::vector<Row> draw_pane(Pane pane, const TeamView& scene, Area area, double now);
  std::vector<Row> draw_panes(const TeamView& scene, Area area, double now);
  std::vector<Row> draw_page(const TeamView& scene, Area area, double now);
  Row draw_foot(std::size_t width, std::size_t row, std::optional<Spot>& cursor) const;

  Pane focus_ = Pane::members;
  std::array<Choice, 3> choices_;
  std::string member_;  // that is chosen
  TaskId task_ = 0;
  std::int64_t event_ = 0;  // 0: the last one, whichever that is
  Showing showing_ = Showing::panes;
  std::optional<LogEntry> page_event_;
  std::size_t scrolled_ = 0;  // lines of a page, from its end for what somebody says and from its start else
  std::size_t most_scrolled_ = 0, page_rows_ = 1;
  std::string listens_to_;
  Asking asking_ = Asking::nothing;
  std::string asked_about_, request_;
  LineEditor answer_;
  std::string said_;
  Output::Tone said_tone_ = Output::Tone::plain;
};

}  // namespace team
