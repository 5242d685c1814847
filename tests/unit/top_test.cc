// The screen of team-top and its keys, without a terminal.

#include <fmt/core.h>

#include <algorithm>
#include <ctime>

#include "libteam/base/clock.h"
#include "libteam/base/columns.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/utf8.h"
#include "libteam/view/top_table.h"
#include "libteam/view/top_view.h"
#include "libteam/view/typed_bytes.h"
#include "tests/unit/check.h"

namespace {

using namespace team;

constexpr double kNow = 1'700'000'000;
using Kind = Key::Kind;

ViewMember member(const std::string& name, const std::string& state) {
  ViewMember made;
  made.status.name = name;
  made.status.state = state;
  made.status.since = kNow - 65;
  if (state == "active" || state == "idle") made.status.pid = 4711;
  made.status.is_running = made.status.pid.has_value();
  return made;
}

Task task(TaskId id, const std::string& subject, Status status, std::vector<TaskId> blocked_by = {}) {
  Task made;
  made.id = id;
  made.subject = subject;
  made.status = status;
  made.blocked_by = std::move(blocked_by);
  made.updated_at = kNow - 10;
  return made;
}

void number(TeamView& snapshot) {
  for (std::size_t i = 0; i < snapshot.members.size(); ++i) snapshot.members[i].number = i;
  arrange(snapshot);
}

TeamView small_team() {
  TeamView snapshot;
  snapshot.team = "alpha";
  snapshot.lead = "lead";
  snapshot.reader = "user";
  for (const auto& [name, state] :
       {std::pair("lead", "lead"), {"ada", "idle"}, {"bob", "active"}, {"cy", "shutdown"}}) {
    snapshot.members.push_back(member(name, state));
  }
  Task running = task(1, "Analyze", Status::in_progress);
  running.owner = "bob";
  running.claimed_at = kNow - 30;
  snapshot.board[1] = running;
  snapshot.board[2] = task(2, "Design", Status::pending, {1});
  snapshot.board[3] = task(3, "Write", Status::pending);
  Task failed = task(4, "Build", Status::failed);
  failed.error = "no compiler";
  snapshot.board[4] = failed;
  snapshot.board[5] = task(5, "Start", Status::completed);
  for (int i = 1; i <= 3; ++i)
    add(snapshot, {i, kNow, "bob", "TASK_UPDATED", fmt::format("event {}", i), "", "{}"}, 10);
  number(snapshot);
  return snapshot;
}

// True if the picture has as many rows as the screen, each as wide as the screen.
bool fills(const Picture& picture, Size size) {
  if (picture.rows.size() != size.rows) return false;
  const bool wide = std::all_of(picture.rows.begin(), picture.rows.end(),
                                [&](const Row& row) { return columns(text_of(row)) == size.columns; });
  const bool inside = !picture.cursor || (picture.cursor->row < size.rows && picture.cursor->column < size.columns);
  return wide && inside;
}

std::string text_of(const Picture& picture) {
  std::string text;
  for (const Row& row : picture.rows) text += team::text_of(row) + "\n";
  return text;
}

bool shows(const Picture& picture, std::string_view text) { return text_of(picture).find(text) != std::string::npos; }

// The selected row.
std::string chosen(const Picture& picture) {
  for (const Row& row : picture.rows) {
    for (const Span& span : row) {
      if (span.ground == Span::Ground::chosen) return team::text_of(row);
    }
  }
  return "";
}

TopAction type(TopView& view, const TeamView& snapshot, std::string_view keys) {
  TopAction last;
  for (const char key : keys) {
    if (key == '\n') last = view.press({Kind::enter, ""}, snapshot);
    else if (key == '\t') last = view.press({Kind::tab, ""}, snapshot);
    else if (key == '\x1b') last = view.press({Kind::escape, ""}, snapshot);
    else last = view.press({Kind::character, std::string(1, key)}, snapshot);
  }
  return last;
}

void shows_all_at_80_by_24() {
  TopView view;
  const Picture picture = view.draw(small_team(), {24, 80}, kNow);
  CHECK(fills(picture, {24, 80}));
  for (const char* text : {"alpha", "ada", "bob", "#1", "1 running", "1 failed", "waits for #1 (bob)", "no compiler",
                           "event 3", "q quit", "MEMBERS 4", "TASKS 5", "EVENTS"}) {
    CHECK(shows(picture, text));
  }
}

void fills_any_size() {
  const TeamView snapshot = small_team();
  for (const char* keys : {"", "\t", "\t\t", "\n", "\t\n", "\t\t\n", "?", "m", "mhello", "s"}) {
    for (const Size size :
         {Size{60, 200}, {5, 20}, {1, 1}, {2, 3}, {3, 200}, {60, 5}, {12, 119}, {12, 120}, {11, 80}}) {
      TopView view;
      type(view, snapshot, keys);
      const bool filled = fills(view.draw(snapshot, size, kNow), size);
      if (!filled) fmt::print(stderr, "{}x{} after '{}'\n", size.columns, size.rows, keys);
      CHECK(filled);
    }
  }
  TopView view;
  CHECK(fills(view.draw(TeamView(), {24, 80}, kNow), {24, 80}));
  CHECK(type(view, TeamView(), "jk\n\tmj\n\t\n").kind == TopAction::Kind::none);
  CHECK(fills(view.draw(TeamView(), {24, 80}, kNow), {24, 80}));
}

void a_small_screen_shows_one_pane() {
  TopView view;
  const TeamView snapshot = small_team();
  CHECK(shows(view.draw(snapshot, {5, 20}, kNow), "> bob"));
  type(view, snapshot, "\t");
  CHECK(shows(view.draw(snapshot, {5, 20}, kNow), "> #1"));
}

void members_that_need_attention_are_first() {
  TeamView snapshot = small_team();
  snapshot.members.push_back(member("dora", "dead"));
  snapshot.members.push_back(member("eve", "plan_pending"));
  snapshot.members.back().plan = Request{};
  number(snapshot);
  std::string order;
  for (const ViewMember& one : snapshot.members) order += one.status.name + " ";
  CHECK(order == "eve dora bob lead ada cy ");
  CHECK(snapshot.tasks.front().state == TaskState::running && snapshot.tasks.back().state == TaskState::done);
}

void the_selection_follows_its_item() {
  TeamView snapshot = small_team();
  TopView view;
  type(view, snapshot, "jj");
  CHECK(chosen(view.draw(snapshot, {24, 80}, kNow)).starts_with("> ada"));
  for (ViewMember& one : snapshot.members) {
    if (one.status.name == "ada") one.status.state = "dead";
  }
  number(snapshot);
  CHECK(chosen(view.draw(snapshot, {24, 80}, kNow)).starts_with("> ada"));
  CHECK(snapshot.members.front().status.name == "ada");
}

void a_removed_item_is_replaced_by_its_neighbour() {
  TeamView snapshot = small_team();
  TopView view;
  type(view, snapshot, "jjj");
  CHECK(chosen(view.draw(snapshot, {24, 80}, kNow)).starts_with("> cy"));
  std::erase_if(snapshot.members, [](const ViewMember& one) { return one.status.name == "cy"; });
  number(snapshot);
  CHECK(chosen(view.draw(snapshot, {24, 80}, kNow)).starts_with("> ada"));
  type(view, snapshot, "\n");
  std::erase_if(snapshot.members, [](const ViewMember& one) { return one.status.name == "ada"; });
  number(snapshot);
  CHECK(shows(view.draw(snapshot, {24, 80}, kNow), "ada has left the team"));
  snapshot.members.clear();
  snapshot.board.clear();
  number(snapshot);
  CHECK(fills(view.draw(snapshot, {24, 80}, kNow), {24, 80}));
}

void many_members_and_tasks() {
  TeamView snapshot = small_team();
  for (int i = 0; i < 200; ++i) snapshot.members.push_back(member(fmt::format("coder-{}", i), "idle"));
  for (TaskId id = 10; id < 10'010; ++id) snapshot.board[id] = task(id, fmt::format("Task {}", id), Status::pending);
  number(snapshot);
  TopView view;
  CHECK(fills(view.draw(snapshot, {24, 80}, kNow), {24, 80}));
  view.press({Kind::end, ""}, snapshot);
  CHECK(chosen(view.draw(snapshot, {24, 80}, kNow)).starts_with("> cy"));
  view.press({Kind::up, ""}, snapshot);
  CHECK(chosen(view.draw(snapshot, {24, 80}, kNow)).starts_with("> coder-199"));
  view.press({Kind::tab, ""}, snapshot);
  view.press({Kind::end, ""}, snapshot);
  CHECK(chosen(view.draw(snapshot, {60, 200}, kNow)).starts_with("> #5 "));
  view.press({Kind::home, ""}, snapshot);
  CHECK(chosen(view.draw(snapshot, {60, 200}, kNow)).starts_with("> #1 "));
  view.press({Kind::page_down, ""}, snapshot);
  const std::string there = chosen(view.draw(snapshot, {60, 200}, kNow));
  CHECK(there.starts_with("> #") && !there.starts_with("> #1 "));
}

void wide_characters_use_two_columns() {
  TeamView snapshot = small_team();
  snapshot.board[3].subject = "設計する🎉設計する🎉設計する🎉設計する🎉設計する🎉設計する🎉設計する🎉";
  snapshot.members[0].status.last_words = "進捗は五十パーセントです進捗は五十パーセントです進捗は五十パーセントです";
  number(snapshot);
  for (std::size_t width = 10; width < 130; ++width) {
    TopView view;
    CHECK(fills(view.draw(snapshot, {24, width}, kNow), {24, width}));
    type(view, snapshot, "\t\n");
    CHECK(fills(view.draw(snapshot, {24, width}, kNow), {24, width}));
  }
}

void no_text_controls_the_terminal() {
  TeamView snapshot = small_team();
  const std::string evil =
      "a\x1b[2J\x07\r\n\xc2\x9b"
      "31m\xff";
  snapshot.board[3].subject = snapshot.board[3].description = evil;
  snapshot.board[4].error = evil;
  for (ViewMember& one : snapshot.members) one.status.last_words = one.status.reason = evil;
  add(snapshot, {4, kNow, evil, evil, evil, "", evil}, 10);
  snapshot.speaker = "bob";
  snapshot.speech = evil;
  snapshot.team = evil;
  number(snapshot);
  for (const char* keys : {"", "\n", "\tj\n", "\tjj\n", "\t\t\n"}) {
    TopView view;
    view.draw(snapshot, {24, 80}, kNow);
    type(view, snapshot, keys);
    view.say(evil, Output::Tone::bad);
    for (const Row& row : view.draw(snapshot, {24, 80}, kNow).rows)
      CHECK(one_line(team::text_of(row)) == team::text_of(row));
  }
}

void a_message_is_typed_and_sent() {
  const TeamView snapshot = small_team();
  TopView view;
  type(view, snapshot, "m");
  Picture picture = view.draw(snapshot, {24, 80}, kNow);
  CHECK(shows(picture, "to bob: ") && picture.cursor);
  type(view, snapshot, "hi qj");
  view.press({Kind::backspace, ""}, snapshot);
  CHECK(shows(view.draw(snapshot, {24, 80}, kNow), "to bob: hi q "));
  const TopAction wish = type(view, snapshot, "\n");
  CHECK(wish.kind == TopAction::Kind::send && wish.member == "bob" && wish.text == "hi q");
  CHECK(type(view, snapshot, "mhello\x1b").kind == TopAction::Kind::none);
  CHECK(shows(view.draw(snapshot, {24, 80}, kNow), "nothing was done"));
  CHECK(type(view, snapshot, "m\n").kind == TopAction::Kind::none);
}

void a_plan_is_answered_by_its_id() {
  TeamView snapshot = small_team();
  TopView view;
  CHECK(type(view, snapshot, "a\n").kind == TopAction::Kind::none);
  CHECK(!shows(view.draw(snapshot, {24, 80}, kNow), "approve the plan"));
  view = TopView();
  snapshot.members.back().plan = Request{};
  snapshot.members.back().plan->id = "P1";
  snapshot.members.back().plan->content = "1. read\n2. write";
  number(snapshot);
  CHECK(shows(view.draw(snapshot, {24, 80}, kNow), "plan?"));
  type(view, snapshot, "\n");
  CHECK(shows(view.draw(snapshot, {24, 80}, kNow), "2. write"));
  type(view, snapshot, "a");
  snapshot.members.front().plan->id = "P2";  // another plan arrives while the user types
  TopAction wish = type(view, snapshot, "\n");
  CHECK(wish.kind == TopAction::Kind::approve && wish.request == "P1" && wish.text.empty());
  CHECK(type(view, snapshot, "r\n").kind == TopAction::Kind::none);
  wish = type(view, snapshot, "no\n");
  CHECK(wish.kind == TopAction::Kind::reject && wish.request == "P2" && wish.text == "no");
}

void a_stop_needs_a_confirmation() {
  const TeamView snapshot = small_team();
  TopView view;
  type(view, snapshot, "s");
  CHECK(shows(view.draw(snapshot, {24, 80}, kNow), "ask bob to shut down? y/n"));
  CHECK(type(view, snapshot, "n").kind == TopAction::Kind::none);
  const TopAction wish = type(view, snapshot, "sy");
  CHECK(wish.kind == TopAction::Kind::stop && wish.member == "bob");
  CHECK(type(view, snapshot, "jjjsy").kind == TopAction::Kind::none);
}

void keys_act_on_the_owner_of_a_task() {
  const TeamView snapshot = small_team();
  TopView view;
  CHECK(type(view, snapshot, "\tmhi\n").member == "bob");
  CHECK(type(view, snapshot, "jmhi\n").kind == TopAction::Kind::none);
}

void output_is_shown_from_its_end() {
  TeamView snapshot = small_team();
  TopView view;
  type(view, snapshot, "\n");
  snapshot.speaker = view.listens_to();
  CHECK(snapshot.speaker == "bob");
  for (int i = 0; i < 100; ++i) snapshot.speech += fmt::format("line {}.\n", i);
  CHECK(shows(view.draw(snapshot, {24, 80}, kNow), "line 99."));
  view.press({Kind::page_up, ""}, snapshot);
  CHECK(!shows(view.draw(snapshot, {24, 80}, kNow), "line 99."));
  view.press({Kind::home, ""}, snapshot);
  CHECK(shows(view.draw(snapshot, {24, 80}, kNow), "line 0."));
  view.press({Kind::end, ""}, snapshot);
  CHECK(shows(view.draw(snapshot, {24, 80}, kNow), "line 99."));
  view.press({Kind::escape, ""}, snapshot);
  CHECK(view.listens_to().empty());
}

void the_last_event_stays_visible() {
  TeamView snapshot = small_team();
  TopView view;
  for (int i = 4; i < 100; ++i) {
    add(snapshot, {i, kNow, "bob", "TASK_UPDATED", fmt::format("event {}.", i), "", "{}"}, 50);
  }
  CHECK(snapshot.events.size() == 50);
  CHECK(shows(view.draw(snapshot, {24, 80}, kNow), "event 99."));
  type(view, snapshot, "\t\tk");
  CHECK(chosen(view.draw(snapshot, {24, 80}, kNow)).find("event 98.") != std::string::npos);
  add(snapshot, {100, kNow, "bob", "TASK_UPDATED", "event 100.", "", "{}"}, 50);
  CHECK(chosen(view.draw(snapshot, {24, 80}, kNow)).find("event 98.") != std::string::npos);
}

void pieces_of_a_message_are_one_event() {
  TeamView snapshot;
  add(snapshot, {1, kNow, "bob", "says", "Hel", "m1", "{}"}, 10);
  add(snapshot, {2, kNow, "bob", "says", "lo", "m1", "{}"}, 10);
  add(snapshot, {3, kNow, "bob", "says", "again", "m2", "{}"}, 10);
  CHECK(snapshot.events.size() == 2 && snapshot.events[0].text == "Hello" && snapshot.events[0].seq == 2);
}

void lines_are_broken_between_words() {
  CHECK((wrap("one two three", 7) == std::vector<std::string>{"one two", "three"}));
  CHECK((wrap("abcdefgh\nij", 3) == std::vector<std::string>{"abc", "def", "gh", "ij"}));
  CHECK((wrap("設計設計", 5) == std::vector<std::string>{"設計", "設計"}));
  CHECK((wrap("設", 1).size() == 1));
  CHECK(fit("設計", 3) == "設…" && fit("a", 3) == "a  ");
}

void a_long_text_is_wrapped_in_one_pass() {
  std::string text, dense;
  for (int i = 0; i < 60'000; ++i) text += "words ";
  for (int i = 0; i < 120'000; ++i) dense += "語";
  const std::clock_t before = std::clock();
  const auto lines = wrap(text, 12);
  CHECK(lines.size() == 30'000 && lines.front() == "words words" && lines.back() == "words words ");
  const auto wide = wrap(dense, 7);
  CHECK(wide.size() == 40'000 && wide.front() == "語語語" && wide.back() == "語語語");
  TeamView snapshot = small_team();
  snapshot.board[1].description = text;
  add(snapshot, {9, kNow, "bob", "says", dense + "end", "m", "{}"}, 10);
  number(snapshot);
  TopView view;
  CHECK(shows(view.draw(snapshot, {24, 80}, kNow), "語end"));
  type(view, snapshot, "\t\n");
  view.draw(snapshot, {24, 80}, kNow);
  view.press({Kind::end, ""}, snapshot);
  CHECK(fills(view.draw(snapshot, {24, 80}, kNow), {24, 80}));
  LineEditor editor;
  editor.press({Kind::pasted, dense + "end"});
  CHECK(editor.shown(6).text == "語end" && editor.shown(6).cursor == 5);
  CHECK(std::clock() - before < 20 * CLOCKS_PER_SEC);  // minutes, if each line scanned the whole rest
}

// The characters of all bytes, with a bar after each.
std::string taken(std::string_view bytes) {
  TypedBytes typed;
  std::string all;
  for (const char byte : bytes) {
    typed.add(byte);
    while (const auto character = typed.take()) all += *character + "|";
  }
  return all;
}

void invalid_bytes_do_not_affect_their_neighbours() {
  const std::string bad = "\xEF\xBF\xBD|";
  CHECK(taken("aé語🙂b") == "a|é|語|🙂|b|");
  CHECK(taken("a\xFF"
              "b") == "a|" + bad + "b|");
  CHECK(taken("\xFF\xFE\x80rest") == bad + bad + bad + "r|e|s|t|");
  CHECK(taken("\xC3(") == bad + "(|");  // cut by the next character
  CHECK(taken("\xE2\x82"
              "ab") == bad + "a|b|");
  CHECK(taken("\xF0\x9F\x99\xC3\xA9") == bad + "é|");
  CHECK(taken("\xED\xA0\x80z") == bad + "z|");  // a surrogate
  CHECK(taken("\xE8\xAA").empty());             // the rest has not arrived yet
}

void a_paste_is_text_not_a_command() {
  const TeamView snapshot = small_team();
  TopView view;
  for (const char* key : {"q", "s", "y", "m"})
    CHECK(view.press({Kind::pasted, key}, snapshot).kind == TopAction::Kind::none);
  CHECK(!view.draw(snapshot, {24, 80}, kNow).cursor);
  type(view, snapshot, "s");
  CHECK(view.press({Kind::pasted, "y"}, snapshot).kind == TopAction::Kind::none);
  CHECK(shows(view.draw(snapshot, {24, 80}, kNow), "ask bob to shut down? y/n"));
  type(view, snapshot, "nm");
  for (const char* key : {"h", "i", " ", "q"}) view.press({Kind::pasted, key}, snapshot);
  const TopAction wish = type(view, snapshot, "\n");
  CHECK(wish.kind == TopAction::Kind::send && wish.text == "hi q");
}

void a_long_answer_scrolls_sideways() {
  LineEditor editor;
  for (int i = 0; i < 50; ++i) editor.press({Kind::character, "語"});
  const auto shown = editor.shown(11);
  CHECK(columns(shown.text) <= 11 && shown.cursor == columns(shown.text));
  editor.press({Kind::home, ""});
  CHECK(editor.shown(11).cursor == 0);
  editor.press({Kind::remove, ""});
  editor.press({Kind::end, ""});
  editor.press({Kind::backspace, ""});
  CHECK(count_characters(editor.text()) == 48);
  editor.press({Kind::erase_line, ""});
  CHECK(editor.text().empty());
}

}  // namespace

int main() {
  shows_all_at_80_by_24();
  fills_any_size();
  a_small_screen_shows_one_pane();
  members_that_need_attention_are_first();
  the_selection_follows_its_item();
  a_removed_item_is_replaced_by_its_neighbour();
  many_members_and_tasks();
  wide_characters_use_two_columns();
  no_text_controls_the_terminal();
  a_message_is_typed_and_sent();
  a_plan_is_answered_by_its_id();
  a_stop_needs_a_confirmation();
  keys_act_on_the_owner_of_a_task();
  output_is_shown_from_its_end();
  the_last_event_stays_visible();
  pieces_of_a_message_are_one_event();
  lines_are_broken_between_words();
  a_long_answer_scrolls_sideways();
  a_long_text_is_wrapped_in_one_pass();
  a_paste_is_text_not_a_command();
  invalid_bytes_do_not_affect_their_neighbours();
  return team::test::report();
}
