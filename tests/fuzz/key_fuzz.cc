// Keys: whatever is typed and pasted, the line stays UTF-8 with the cursor in it, and every picture fills its screen
// and drives no terminal.
//
// Rows, columns, then keys: a byte for each kind, those with text take what follows up to a zero byte.

#include "libteam/base/text.h"
#include "libteam/view/line_editor.h"
#include "libteam/view/top_view.h"
#include "tests/fuzz/fuzz.h"

using namespace team;

namespace {

TeamView make_scene(const std::string& text) {
  TeamView scene;
  scene.team = "alpha";
  scene.lead = "lead";
  scene.reader = "user";
  for (const char* name : {"lead", "ada", "bob"}) {
    ViewMember member;
    member.status.name = name;
    member.status.state = "active";
    member.status.reason = member.status.subject = member.status.last_words = text;
    member.status.since = 1;
    member.number = scene.members.size();
    scene.members.push_back(member);
  }
  scene.members[1].plan = Request{};
  scene.members[1].plan->content = text;
  for (TaskId id = 1; id <= 3; ++id) {
    Task task;
    task.id = id;
    task.subject = task.description = text;
    task.status = id == 1 ? Status::failed : Status::pending;
    task.error = text;
    if (id == 3) task.blocked_by = {1, 2};
    scene.board[id] = task;
  }
  scene.broken[4] = text;
  scene.speaker = "ada";
  scene.speech = text;
  add(scene, {1, 1, "bob", "NOTE", text, "", text}, 10);
  arrange(scene);
  return scene;
}

void check_picture(const Picture& picture, Size size) {
  REQUIRE(picture.rows.size() == size.rows);
  for (const Row& row : picture.rows) {
    const std::string text = text_of(row);
    REQUIRE(columns(text) == size.columns && fuzz::drives_no_terminal(text));
  }
  if (picture.cursor) REQUIRE(picture.cursor->row < size.rows && picture.cursor->column < size.columns);
}

void check_editor(const LineEditor& editor, std::size_t width) {
  const auto shown = editor.shown(width);
  REQUIRE(fuzz::is_utf8(editor.text()) && fuzz::is_utf8(shown.text));
  REQUIRE(columns(shown.text) <= width && (width == 0 || shown.cursor < width));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  fuzz::Source source(fuzz::text_of(bytes, size));
  const Size screen{1 + source.below(60), 1 + source.below(160)};
  // As it comes out of the files: UTF-8, with all that JSON can hold.
  const TeamView scene = make_scene(repair_utf8(source.piece()));
  TopView view;
  LineEditor editor;
  check_picture(view.draw(scene, screen, 100), screen);
  for (int i = 0; i < 64 && !source.is_empty(); ++i) {
    Key key{static_cast<Key::Kind>(source.below(static_cast<std::size_t>(Key::Kind::other) + 1)), ""};
    const bool has_text = key.kind == Key::Kind::character || key.kind == Key::Kind::pasted;
    // A terminal gives whole characters, and those that control it as other keys.
    if (has_text) key.text = one_line(source.piece());
    editor.press(key);
    check_editor(editor, screen.columns);
    view.press(key, scene);
    if (i % 4 == 0) check_picture(view.draw(scene, screen, 100), screen);
  }
  check_picture(view.draw(scene, screen, 100), screen);
  return 0;
}
