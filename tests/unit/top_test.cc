// What team-top draws and what its keys mean, without a terminal.

#include <fmt/core.h>

#include <algorithm>
#include <ctime>

#include "libteam/base/clock.h"
#include "libteam/base/text.h"
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

void number(TeamView& scene) {
  for (std::size_t i = 0; i < scene.members.size(); ++i) scene.members[i].number = i;
  arrange(scene);
}

TeamView small_scene() {
  TeamView scene;
  scene.team = "alpha";
  scene.lead = "lead";
  scene.reader = "user";
  for (const auto& [name, state] :
       {std::pair("lead", "lead"), {"ada", "idle"}, {"bob", "active"}, {"cy", "shutdown"}}) {
    scene.members.push_back(member(name, state));
  }
  Task running = task(1, "Analyze", Status::in_progress);
  running.owner = "bob";
  running.claimed_at = kNow - 30;
  scene.board[1] = running;
  scene.board[2] = task(2, "Design", Status::pending, {1});
  scene.board[3] = task(3, "Write", Status::pending);
  Task failed = task(4, "Build", Status::failed);
  failed.error = "no compiler";
  scene.board[4] = failed;
  scene.board[5] = task(5, "Start", Status::completed);
  for (int i = 1; i <= 3; ++i) add(scene, {i, kNow, "bob", "TASK_UPDATED", fmt::format("event {}", i), "", "{}"}, 10);
  number(scene);
  return scene;
}

// Every row as wide as the screen, and as many as it has.
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

// The row with the mark.
std::string chosen(const Picture& picture) {
  for (const Row& row : picture.rows) {
    for (const Span& span : row) {
      if (span.ground == Span::Ground::chosen) return team::text_of(row);
    }
  }
  return "";
}

TopWish type(TopView& view, const TeamView& scene, std::string_view keys) {
  TopWish last;
  for (const char key : keys) {
    if (key == '\n') last = view.press({Kind::enter, ""}, scene);
    else if (key == '\t') last = view.press({Kind::tab, ""}, scene);
    else if (key == '\x1b') last = view.press({Kind::escape, ""}, scene);
    else last = view.press({Kind::character, std::string(1, key)}, scene);
  }
  return last;
}

void shows_all_at_80_by_24() {
  TopView view;
  const Picture picture = view.draw(small_scene(), {24, 80}, kNow);
  CHECK(fills(picture, {24, 80}));
  for (const char* text : {"alpha", "ada", "bob", "#1", "1 running", "1 failed", "waits for #1 (bob)", "no compiler",
                           "event 3", "q quit", "MEMBERS 4", "TASKS 5", "EVENTS"}) {
    CHECK(shows(picture, text));
  }
}

void fills_any_size() {
  const TeamView scene = small_scene();
  for (const char* keys : {"", "\t", "\t\t", "\n", "\t\n", "\t\t\n", "?", "m", "mhello", "s"}) {
    for (const Size size :
         {Size{60, 200}, {5, 20}, {1, 1}, {2, 3}, {3, 200}, {60, 5}, {12, 119}, {12, 120}, {11, 80}}) {
      TopView view;
      type(view, scene, keys);
      const bool filled = fills(view.draw(scene, size, kNow), size);
      if (!filled) fmt::print(stderr, "{}x{} after '{}'\n", size.columns, size.rows, keys);
      CHECK(filled);
    }
  }
  TopView view;
  CHECK(fills(view.draw(TeamView(), {24, 80}, kNow), {24, 80}));
  CHECK(type(view, TeamView(), "jk\n\tmj\n\t\n").kind == TopWish::Kind::none);
  CHECK(fills(view.draw(TeamView(), {24, 80}, kNow), {24, 80}));
}

void a_small_screen_has_the_pane_in_use() {
  TopView view;
  const TeamView scene = small_scene();
  CHECK(shows(view.draw(scene, {5, 20}, kNow), "> bob"));
  type(view, scene, "\t");
  CHECK(shows(view.draw(scene, {5, 20}, kNow), "> #1"));
}

void who_needs_somebody_stands_first() {
  TeamView scene = small_scene();
  scene.members.push_back(member("dora", "dead"));
  scene.members.push_back(member("eve", "plan_pending"));
  scene.members.back().plan = Request{};
  number(scene);
  std::string order;
  for (const ViewMember& one : scene.members) order += one.status.name + " ";
  CHECK(order == "eve dora bob lead ada cy ");
  CHECK(scene.tasks.front().posture == TaskState::running && scene.tasks.back().posture == TaskState::done);
}

void what_is_chosen_moves_with_it() {
  TeamView scene = small_scene();
  TopView view;
  type(view, scene, "jj");
  CHECK(chosen(view.draw(scene, {24, 80}, kNow)).starts_with("> ada"));
  for (ViewMember& one : scene.members) {
    if (one.status.name == "ada") one.status.state = "dead";
  }
  number(scene);
  CHECK(chosen(view.draw(scene, {24, 80}, kNow)).starts_with("> ada"));
  CHECK(scene.members.front().status.name == "ada");
}

void what_leaves_is_replaced_by_its_neighbour() {
  TeamView scene = small_scene();
  TopView view;
  type(view, scene, "jjj");
  CHECK(chosen(view.draw(scene, {24, 80}, kNow)).starts_with("> cy"));
  std::erase_if(scene.members, [](const ViewMember& one) { return one.status.name == "cy"; });
  number(scene);
  CHECK(chosen(view.draw(scene, {24, 80}, kNow)).starts_with("> ada"));
  type(view, scene, "\n");
  std::erase_if(scene.members, [](const ViewMember& one) { return one.status.name == "ada"; });
  number(scene);
  CHECK(shows(view.draw(scene, {24, 80}, kNow), "ada has left the team"));
  scene.members.clear();
  scene.board.clear();
  number(scene);
  CHECK(fills(view.draw(scene, {24, 80}, kNow), {24, 80}));
}

void many_of_both() {
  TeamView scene = small_scene();
  for (int i = 0; i < 200; ++i) scene.members.push_back(member(fmt::format("coder-{}", i), "idle"));
  for (TaskId id = 10; id < 10'010; ++id) scene.board[id] = task(id, fmt::format("Task {}", id), Status::pending);
  number(scene);
  TopView view;
  CHECK(fills(view.draw(scene, {24, 80}, kNow), {24, 80}));
  view.press({Kind::end, ""}, scene);
  CHECK(chosen(view.draw(scene, {24, 80}, kNow)).starts_with("> cy"));
  view.press({Kind::up, ""}, scene);
  CHECK(chosen(view.draw(scene, {24, 80}, kNow)).starts_with("> coder-199"));
  view.press({Kind::tab, ""}, scene);
  view.press({Kind::end, ""}, scene);
  CHECK(chosen(view.draw(scene, {60, 200}, kNow)).starts_with("> #5 "));
  view.press({Kind::home, ""}, scene);
  CHECK(chosen(view.draw(scene, {60, 200}, kNow)).starts_with("> #1 "));
  view.press({Kind::page_down, ""}, scene);
  const std::string there = chosen(view.draw(scene, {60, 200}, kNow));
  CHECK(there.starts_with("> #") && !there.starts_with("> #1 "));
}

void wide_characters_take_their_room() {
  TeamView scene = small_scene();
  scene.board[3].subject = "設計する🎉設計する🎉設計する🎉設計する🎉設計する🎉設計する🎉設計する🎉";
  scene.members[0].status.last_words = "進捗は五十パーセントです進捗は五十パーセントです進捗は五十パーセントです";
  number(scene);
  for (std::size_t width = 10; width < 130; ++width) {
    TopView view;
    CHECK(fills(view.draw(scene, {24, width}, kNow), {24, width}));
    type(view, scene, "\t\n");
    CHECK(fills(view.draw(scene, {24, width}, kNow), {24, width}));
  }
}

void no_text_drives_the_terminal() {
  TeamView scene = small_scene();
  const std::string evil =
      "a\x1b[2J\x07\r\n\xc2\x9b"
      "31m\xff";
  scene.board[3].subject = scene.board[3].description = evil;
  scene.board[4].error = evil;
  for (ViewMember& one : scene.members) one.status.last_words = one.status.reason = evil;
  add(scene, {4, kNow, evil, evil, evil, "", evil}, 10);
  scene.speaker = "bob";
  scene.speech = evil;
  scene.team = evil;
  number(scene);
  for (const char* keys : {"", "\n", "\tj\n", "\tjj\n", "\t\t\n"}) {
    TopView view;
    view.draw(scene, {24, 80}, kNow);
    type(view, scene, keys);
    view.say(evil, Output::Tone::bad);
    for (const Row& row : view.draw(scene, {24, 80}, kNow).rows)
      CHECK(one_line(team::text_of(row)) == team::text_of(row));
  }
}

void a_message_is_typed_and_sent() {
  const TeamView scene = small_scene();
  TopView view;
  type(view, scene, "m");
  Picture picture = view.draw(scene, {24, 80}, kNow);
  CHECK(shows(picture, "to bob: ") && picture.cursor);
  type(view, scene, "hi qj");
  view.press({Kind::backspace, ""}, scene);
  CHECK(shows(view.draw(scene, {24, 80}, kNow), "to bob: hi q "));
  const TopWish wish = type(view, scene, "\n");
  CHECK(wish.kind == TopWish::Kind::send && wish.member == "bob" && wish.text == "hi q");
  CHECK(type(view, scene, "mhello\x1b").kind == TopWish::Kind::none);
  CHECK(shows(view.draw(scene, {24, 80}, kNow), "nothing was done"));
  CHECK(type(view, scene, "m\n").kind == TopWish::Kind::none);
}

void a_plan_is_judged_by_its_id() {
  TeamView scene = small_scene();
  TopView view;
  CHECK(type(view, scene, "a\n").kind == TopWish::Kind::none);
  CHECK(!shows(view.draw(scene, {24, 80}, kNow), "approve the plan"));
  view = TopView();
  scene.members.back().plan = Request{};
  scene.members.back().plan->id = "P1";
  scene.members.back().plan->content = "1. read\n2. write";
  number(scene);
  CHECK(shows(view.draw(scene, {24, 80}, kNow), "plan?"));
  type(view, scene, "\n");
  CHECK(shows(view.draw(scene, {24, 80}, kNow), "2. write"));
  type(view, scene, "a");
  scene.members.front().plan->id = "P2";  // another one comes while somebody types
  TopWish wish = type(view, scene, "\n");
  CHECK(wish.kind == TopWish::Kind::approve && wish.request == "P1" && wish.text.empty());
  CHECK(type(view, scene, "r\n").kind == TopWish::Kind::none);
  wish = type(view, scene, "no\n");
  CHECK(wish.kind == TopWish::Kind::reject && wish.request == "P2" && wish.text == "no");
}

void a_stop_is_asked_for_twice() {
  const TeamView scene = small_scene();
  TopView view;
  type(view, scene, "s");
  CHECK(shows(view.draw(scene, {24, 80}, kNow), "ask bob to shut down? y/n"));
  CHECK(type(view, scene, "n").kind == TopWish::Kind::none);
  const TopWish wish = type(view, scene, "sy");
  CHECK(wish.kind == TopWish::Kind::stop && wish.member == "bob");
  CHECK(type(view, scene, "jjjsy").kind == TopWish::Kind::none);
}

void of_a_task_the_owner_is_meant() {
  const TeamView scene = small_scene();
  TopView view;
  CHECK(type(view, scene, "\tmhi\n").member == "bob");
  CHECK(type(view, scene, "jmhi\n").kind == TopWish::Kind::none);
}

void what_it_says_is_read_from_the_end() {
  TeamView scene = small_scene();
  TopView view;
  type(view, scene, "\n");
  scene.speaker = view.listens_to();
  CHECK(scene.speaker == "bob");
  for (int i = 0; i < 100; ++i) scene.speech += fmt::format("line {}.\n", i);
  CHECK(shows(view.draw(scene, {24, 80}, kNow), "line 99."));
  view.press({Kind::page_up, ""}, scene);
  CHECK(!shows(view.draw(scene, {24, 80}, kNow), "line 99."));
  view.press({Kind::home, ""}, scene);
  CHECK(shows(view.draw(scene, {24, 80}, kNow), "line 0."));
  view.press({Kind::end, ""}, scene);
  CHECK(shows(view.draw(scene, {24, 80}, kNow), "line 99."));
  view.press({Kind::escape, ""}, scene);
  CHECK(view.listens_to().empty());
}

void the_last_event_stays_in_sight() {
  TeamView scene = small_scene();
  TopView view;
  for (int i = 4; i < 100; ++i) {
    add(scene, {i, kNow, "bob", "TASK_UPDATED", fmt::format("event {}.", i), "", "{}"}, 50);
  }
  CHECK(scene.events.size() == 50);
  CHECK(shows(view.draw(scene, {24, 80}, kNow), "event 99."));
  type(view, scene, "\t\tk");
  CHECK(chosen(view.draw(scene, {24, 80}, kNow)).find("event 98.") != std::string::npos);
  add(scene, {100, kNow, "bob", "TASK_UPDATED", "event 100.", "", "{}"}, 50);
  CHECK(chosen(view.draw(scene, {24, 80}, kNow)).find("event 98.") != std::string::npos);
}

void pieces_of_a_speech_are_one_event() {
  TeamView scene;
  add(scene, {1, kNow, "bob", "says", "Hel", "m1", "{}"}, 10);
  add(scene, {2, kNow, "bob", "says", "lo", "m1", "{}"}, 10);
  add(scene, {3, kNow, "bob", "says", "again", "m2", "{}"}, 10);
  CHECK(scene.events.size() == 2 && scene.events[0].text == "Hello" && scene.events[0].seq == 2);
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
  TeamView scene = small_scene();
  scene.board[1].description = text;
  add(scene, {9, kNow, "bob", "says", dense + "end", "m", "{}"}, 10);
  number(scene);
  TopView view;
  CHECK(shows(view.draw(scene, {24, 80}, kNow), "語end"));
  type(view, scene, "\t\n");
  view.draw(scene, {24, 80}, kNow);
  view.press({Kind::end, ""}, scene);
  CHECK(fills(view.draw(scene, {24, 80}, kNow), {24, 80}));
  LineEditor editor;
  editor.press({Kind::pasted, dense + "end"});
  CHECK(editor.shown(6).text == "語end" && editor.shown(6).cursor == 5);
  CHECK(std::clock() - before < 20 * CLOCKS_PER_SEC);  // minutes, if each line looks at all that follow
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

void typed_bytes_that_are_no_text_cost_only_themselves() {
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
  CHECK(taken("\xE8\xAA").empty());             // the rest has not come yet
}

void a_paste_is_text_and_no_command() {
  const TeamView scene = small_scene();
  TopView view;
  for (const char* key : {"q", "s", "y", "m"})
    CHECK(view.press({Kind::pasted, key}, scene).kind == TopWish::Kind::none);
  CHECK(!view.draw(scene, {24, 80}, kNow).cursor);
  type(view, scene, "s");
  CHECK(view.press({Kind::pasted, "y"}, scene).kind == TopWish::Kind::none);
  CHECK(shows(view.draw(scene, {24, 80}, kNow), "ask bob to shut down? y/n"));
  type(view, scene, "nm");
  for (const char* key : {"h", "i", " ", "q"}) view.press({Kind::pasted, key}, scene);
  const TopWish wish = type(view, scene, "\n");
  CHECK(wish.kind == TopWish::Kind::send && wish.text == "hi q");
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
  a_small_screen_has_the_pane_in_use();
  who_needs_somebody_stands_first();
  what_is_chosen_moves_with_it();
  what_leaves_is_replaced_by_its_neighbour();
  many_of_both();
  wide_characters_take_their_room();
  no_text_drives_the_terminal();
  a_message_is_typed_and_sent();
  a_plan_is_judged_by_its_id();
  a_stop_is_asked_for_twice();
  of_a_task_the_owner_is_meant();
  what_it_says_is_read_from_the_end();
  the_last_event_stays_in_sight();
  pieces_of_a_speech_are_one_event();
  lines_are_broken_between_words();
  a_long_answer_scrolls_sideways();
  a_long_text_is_wrapped_in_one_pass();
  a_paste_is_text_and_no_command();
  typed_bytes_that_are_no_text_cost_only_themselves();
  return team::test::report();
}
