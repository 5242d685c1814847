#include "libteam/view/top_view.h"

#include <algorithm>

#include "libteam/base/columns.h"
#include "libteam/base/terminal_text.h"
#include "libteam/view/top_panes.h"
#include "libteam/view/top_table.h"

namespace team {

namespace {

using Tone = Output::Tone;

constexpr std::size_t kLeastRows = 12;  // a smaller screen shows only one pane

Row as_row(const PageLine& line, std::size_t width) {
  return {{fit(line.text, width), line.tone, Span::Ground::plain}};
}

void fill(std::vector<Row>& rows, std::size_t count, std::size_t width) {
  rows.resize(std::min(rows.size(), count));
  while (rows.size() < count) rows.push_back({{std::string(width, ' '), Tone::plain, Span::Ground::plain}});
}

}  // namespace

void TopView::say(std::string text, Tone tone) {
  said_ = one_line(text);
  said_tone_ = tone;
}

std::size_t TopView::count(const TeamView& snapshot, Pane pane) const {
  switch (pane) {
    case Pane::members: return snapshot.members.size();
    case Pane::tasks: return snapshot.tasks.size();
    case Pane::events: return snapshot.events.size();
  }
  return 0;
}

// Finds the selected items in a new snapshot. If an item is gone, selects the item at its position.
void TopView::settle(const TeamView& snapshot) {
  const auto again = [&](Pane pane, std::size_t found) {
    const std::size_t there = count(snapshot, pane);
    Choice& its = choice(pane);
    if (found < there) its.index = found;
    its.index = there == 0 ? 0 : std::min(its.index, there - 1);
    if (its.index < its.first) its.first = its.index;
    if (its.index >= its.first + its.seen) its.first = its.index + 1 - its.seen;
    its.first = std::min(its.first, there > its.seen ? there - its.seen : 0);
  };
  const auto place_of = [](const auto& all, const auto& is_it) {
    return static_cast<std::size_t>(std::find_if(all.begin(), all.end(), is_it) - all.begin());
  };
  again(Pane::members, place_of(snapshot.members, [&](const ViewMember& one) { return one.status.name == member_; }));
  again(Pane::tasks, place_of(snapshot.tasks, [&](const ViewTask& one) { return one.id == task_; }));
  const bool last = event_ == 0 && !snapshot.events.empty();
  again(Pane::events, last ? snapshot.events.size() - 1
                           : place_of(snapshot.events, [&](const LogEntry& one) { return one.seq >= event_; }));
  member_ = snapshot.members.empty() ? "" : snapshot.members[choice(Pane::members).index].status.name;
  task_ = snapshot.tasks.empty() ? 0 : snapshot.tasks[choice(Pane::tasks).index].id;
}

void TopView::choose(const TeamView& snapshot, std::size_t index) {
  const std::size_t there = count(snapshot, focus_);
  if (there == 0) return;
  index = std::min(index, there - 1);
  choice(focus_).index = index;
  switch (focus_) {
    case Pane::members: member_ = snapshot.members[index].status.name; break;
    case Pane::tasks: task_ = snapshot.tasks[index].id; break;
    case Pane::events: event_ = index + 1 == there ? 0 : snapshot.events[index].seq; break;
  }
  settle(snapshot);
}

void TopView::move(const TeamView& snapshot, const Key& key) {
  const std::size_t at = choice(focus_).index;
  const std::size_t page = std::max<std::size_t>(1, choice(focus_).seen);
  switch (key.kind) {
    case Key::Kind::up: return choose(snapshot, at > 0 ? at - 1 : 0);
    case Key::Kind::down: return choose(snapshot, at + 1);
    case Key::Kind::page_up: return choose(snapshot, at > page ? at - page : 0);
    case Key::Kind::page_down: return choose(snapshot, at + page);
    case Key::Kind::home: return choose(snapshot, 0);
    case Key::Kind::end: return choose(snapshot, count(snapshot, focus_));
    default: return;
  }
}

void TopView::scroll(const Key& key) {
  // The page of a member starts at the end of its output, so scrolling up moves away from the start position.
  const bool from_end = showing_ == Showing::member;
  const auto away = [&](std::size_t lines) { scrolled_ = std::min(most_scrolled_, scrolled_ + lines); };
  const auto back = [&](std::size_t lines) { scrolled_ -= std::min(scrolled_, lines); };
  const std::size_t page = std::max<std::size_t>(2, page_rows_) - 1;
  switch (key.kind) {
    case Key::Kind::up: return from_end ? away(1) : back(1);
    case Key::Kind::down: return from_end ? back(1) : away(1);
    case Key::Kind::page_up: return from_end ? away(page) : back(page);
    case Key::Kind::page_down: return from_end ? back(page) : away(page);
    case Key::Kind::home: scrolled_ = from_end ? most_scrolled_ : 0; return;
    case Key::Kind::end: scrolled_ = from_end ? 0 : most_scrolled_; return;
    default: return;
  }
}

// The member that the keys m, a, r and s act on: the selected member, or the owner of the selected task or event.
const ViewMember* TopView::target(const TeamView& snapshot) const {
  if (showing_ == Showing::event && page_event_) return snapshot.find_member(page_event_->agent);
  const bool of_task = showing_ == Showing::task || (showing_ == Showing::panes && focus_ == Pane::tasks);
  if (of_task) {
    const Task* task = snapshot.find_task(task_);
    return task != nullptr && task->owner ? snapshot.find_member(*task->owner) : nullptr;
  }
  if (showing_ == Showing::panes && focus_ == Pane::events && !snapshot.events.empty()) {
    return snapshot.find_member(snapshot.events[choices_[2].index].agent);
  }
  return snapshot.find_member(member_);
}

void TopView::open_page(const TeamView& snapshot) {
  scrolled_ = 0;
  switch (focus_) {
    case Pane::members:
      if (snapshot.members.empty()) return;
      showing_ = Showing::member;
      listens_to_ = member_;
      return;
    case Pane::tasks:
      if (!snapshot.tasks.empty()) showing_ = Showing::task;
      return;
    case Pane::events:
      if (snapshot.events.empty()) return;
      page_event_ = snapshot.events[choice(Pane::events).index];
      showing_ = Showing::event;
      return;
  }
}

void TopView::ask(Asking asking, const TeamView& snapshot) {
  const ViewMember* member = target(snapshot);
  if (member == nullptr) return say("no member is selected", Tone::bad);
  const bool about_plan = asking == Asking::approval || asking == Asking::rejection;
  if (about_plan && !member->plan) return say(member->status.name + " has no plan that waits for an answer", Tone::bad);
  if (asking == Asking::stop && !member->status.is_running)
    return say(member->status.name + " is not running", Tone::bad);
  asking_ = asking;
  asked_about_ = member->status.name;
  request_ = about_plan ? member->plan->id : "";
  answer_ = LineEditor();
}

TopAction TopView::answer(const Key& key) {
  const auto action = [&](TopAction::Kind kind) {
    asking_ = Asking::nothing;
    return TopAction{kind, asked_about_, answer_.text(), request_};
  };
  if (key.kind == Key::Kind::escape || key.kind == Key::Kind::interrupt) {
    asking_ = Asking::nothing;
    say("nothing was done", Tone::faint);
    return {};
  }
  if (asking_ == Asking::stop) {
    if (key.kind != Key::Kind::character) return {};
    if (key.text == "y" || key.text == "Y") return action(TopAction::Kind::stop);
    asking_ = Asking::nothing;
    say("nothing was done", Tone::faint);
    return {};
  }
  if (key.kind != Key::Kind::enter) {
    answer_.press(key);
    return {};
  }
  const bool empty = answer_.text().find_first_not_of(' ') == std::string::npos;
  switch (asking_) {
    case Asking::approval: return action(TopAction::Kind::approve);
    case Asking::rejection: return empty ? TopAction{} : action(TopAction::Kind::reject);
    case Asking::message: return empty ? TopAction{} : action(TopAction::Kind::send);
    default: return {};
  }
}

TopAction TopView::press(const Key& pressed, const TeamView& snapshot) {
  settle(snapshot);
  if (pressed.kind == Key::Kind::other) return {};
  if (pressed.kind == Key::Kind::pasted && asking_ == Asking::nothing) return {};
  said_.clear();
  if (pressed.kind == Key::Kind::redraw) return {TopAction::Kind::redraw, "", "", ""};
  if (pressed.kind == Key::Kind::suspend) return {TopAction::Kind::suspend, "", "", ""};
  if (asking_ != Asking::nothing) return answer(pressed);
  Key key = pressed;
  if (key.text == "j") key = {Key::Kind::down, ""};
  if (key.text == "k") key = {Key::Kind::up, ""};
  if (key.kind == Key::Kind::interrupt || key.text == "q") return {TopAction::Kind::quit, "", "", ""};
  if (key.text == "m") ask(Asking::message, snapshot);
  else if (key.text == "a") ask(Asking::approval, snapshot);
  else if (key.text == "r") ask(Asking::rejection, snapshot);
  else if (key.text == "s") ask(Asking::stop, snapshot);
  else if (showing_ != Showing::panes) {
    const bool goes_back = key.kind == Key::Kind::escape || key.kind == Key::Kind::enter ||
                           key.kind == Key::Kind::tab || key.kind == Key::Kind::left || key.text == "?";
    if (!goes_back) {
      scroll(key);
    } else {
      showing_ = Showing::panes;
      listens_to_.clear();
    }
  } else if (key.text == "?") {
    showing_ = Showing::help;
    scrolled_ = 0;
  } else if (key.kind == Key::Kind::tab || key.kind == Key::Kind::back_tab) {
    const int step = key.kind == Key::Kind::tab ? 1 : 2;
    focus_ = static_cast<Pane>((static_cast<int>(focus_) + step) % 3);
  } else if (key.kind == Key::Kind::enter) {
    open_page(snapshot);
  } else {
    move(snapshot, key);
  }
  return {};
}

std::vector<Row> TopView::draw_pane(Pane pane, const TeamView& snapshot, Area area, double now) {
  if (area.rows == 0) return {};
  Choice& its = choice(pane);
  its.seen = std::max<std::size_t>(1, area.rows - 1);
  settle(snapshot);
  const Range range{its.first, std::min(its.first + its.seen, count(snapshot, pane))};
  const TopTable table = pane == Pane::members ? table_of_members(snapshot, range, area.columns, now)
                         : pane == Pane::tasks ? table_of_tasks(snapshot, range, now)
                                               : table_of_events(snapshot, range, area.columns);
  const bool chosen = pane == focus_ && its.index >= range.first && its.index < range.end;
  std::vector<Row> rows = table.draw(area.columns, chosen ? its.index - its.first : kNoRow);
  fill(rows, area.rows, area.columns);
  return rows;
}

std::vector<Row> TopView::draw_panes(const TeamView& snapshot, Area area, double now) {
  if (area.rows < kLeastRows - 3) return draw_pane(focus_, snapshot, area, now);
  const std::size_t members = snapshot.members.size() + 1;
  std::vector<Row> rows;
  const auto put = [&](std::vector<Row> more) {
    for (Row& row : more) rows.push_back(std::move(row));
  };
  if (area.columns >= kWide) {
    const std::size_t top = std::min(members + 1, std::max<std::size_t>(4, area.rows * 2 / 5));
    put(draw_pane(Pane::members, snapshot, {top, area.columns}, now));
    const std::size_t below = area.rows - top;
    constexpr std::size_t kBetween = 3;
    const std::size_t left = (area.columns - kBetween) * 11 / 20;
    std::vector<Row> tasks = draw_pane(Pane::tasks, snapshot, {below, left}, now);
    const std::vector<Row> events = draw_pane(Pane::events, snapshot, {below, area.columns - kBetween - left}, now);
    for (std::size_t i = 0; i < below; ++i) {
      tasks[i].push_back({" | ", Tone::faint, Span::Ground::plain});
      tasks[i].insert(tasks[i].end(), events[i].begin(), events[i].end());
    }
    put(std::move(tasks));
    return rows;
  }
  // Each pane has a share of the rows. Rows that members and tasks do not need go to the other panes.
  const std::size_t top = std::min(members, std::max<std::size_t>(3, area.rows * 7 / 20));
  const std::size_t rest = area.rows - top;
  const std::size_t middle = std::min(snapshot.tasks.size() + 1, std::max<std::size_t>(3, rest * 11 / 20));
  put(draw_pane(Pane::members, snapshot, {top, area.columns}, now));
  put(draw_pane(Pane::tasks, snapshot, {middle, area.columns}, now));
  put(draw_pane(Pane::events, snapshot, {rest - middle, area.columns}, now));
  return rows;
}

std::vector<Row> TopView::draw_page(const TeamView& snapshot, Area area, double now) {
  std::vector<Row> rows;
  if (area.rows == 0) return rows;
  const ViewMember* member = showing_ == Showing::member ? snapshot.find_member(listens_to_) : nullptr;
  std::string title;
  Page fixed, page;
  switch (showing_) {
    case Showing::member:
      title = listens_to_;
      if (member == nullptr) {
        page.push_back({listens_to_ + " has left the team", Tone::bad});
        break;
      }
      fixed = facts_of(*member, area.columns, now);
      page = speech_of(*member, snapshot, area.columns);
      break;
    case Showing::task:
      title = fmt::format("task {}", task_);
      page = page_of(task_, snapshot, area.columns, now);
      break;
    case Showing::event:
      title = "event";
      page = page_of(*page_event_, area.columns);
      break;
    default:
      title = "keys";
      page = help_page(area.columns);
      break;
  }
  rows.push_back({{fit("  " + title, area.columns), Tone::plain, Span::Ground::heading}});
  // The output of the member gets at least half of the rows.
  fixed.resize(std::min(fixed.size(), (area.rows - 1) / 2));
  for (const PageLine& line : fixed) rows.push_back(as_row(line, area.columns));
  if (!fixed.empty() && rows.size() < area.rows) {
    rows.push_back({{std::string(area.columns, '-'), Tone::faint, Span::Ground::plain}});
  }
  page_rows_ = area.rows - std::min(area.rows, rows.size());
  most_scrolled_ = page.size() > page_rows_ ? page.size() - page_rows_ : 0;
  scrolled_ = std::min(scrolled_, most_scrolled_);
  const std::size_t first = showing_ == Showing::member ? most_scrolled_ - scrolled_ : scrolled_;
  for (std::size_t i = first; i < page.size() && rows.size() < area.rows; ++i) {
    rows.push_back(as_row(page[i], area.columns));
  }
  fill(rows, area.rows, area.columns);
  return rows;
}

Row TopView::draw_foot(std::size_t width, std::size_t row, std::optional<Spot>& cursor) const {
  std::string question;
  switch (asking_) {
    case Asking::message: question = fmt::format("to {}: ", asked_about_); break;
    case Asking::approval:
      question = fmt::format("approve the plan of {}; feedback (may be empty): ", asked_about_);
      break;
    case Asking::rejection: question = fmt::format("reject the plan of {}; feedback: ", asked_about_); break;
    case Asking::stop: question = fmt::format("ask {} to shut down? y/n ", asked_about_); break;
    case Asking::nothing: break;
  }
  if (!question.empty()) {
    const std::string shown = cut_columns(question, width > 12 ? width - 10 : width / 2);
    const std::size_t room = width - std::min(width, columns(shown));
    const auto typed = answer_.shown(room);
    cursor = {row, std::min(width > 0 ? width - 1 : 0, columns(shown) + typed.cursor)};
    return {{shown, Tone::strong, Span::Ground::plain}, {fit(typed.text, room), Tone::plain, Span::Ground::plain}};
  }
  if (!said_.empty()) return {{fit(" " + said_, width), said_tone_, Span::Ground::plain}};
  const std::string keys = showing_ != Showing::panes
                               ? " Esc back  PgUp PgDn scroll  m message  a approve  r reject  s stop  q quit"
                               : " Tab pane  Enter detail  m message  a approve  r reject  s stop  ? help  q quit";
  return {{fit(keys, width), Tone::faint, Span::Ground::plain}};
}

Picture TopView::draw(const TeamView& snapshot, Size size, double now) {
  settle(snapshot);
  Picture picture;
  const std::size_t width = std::max<std::size_t>(1, size.columns);
  const std::size_t head = size.rows >= kLeastRows ? 2 : size.rows >= 3 ? 1 : 0;
  const std::size_t foot = size.rows >= 2 ? 1 : 0;
  picture.rows = draw_heads(snapshot, head, width, now);
  const Area body{size.rows - head - foot, width};
  for (Row& row : showing_ == Showing::panes ? draw_panes(snapshot, body, now) : draw_page(snapshot, body, now)) {
    picture.rows.push_back(std::move(row));
  }
  if (foot > 0) picture.rows.push_back(draw_foot(width, size.rows - 1, picture.cursor));
  return picture;
}

}  // namespace team
