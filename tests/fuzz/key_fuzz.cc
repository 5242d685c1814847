// Keys: whatever is typed and pasted, the line stays UTF-8 with the cursor in it, and every picture fills its screen
// and contains no control characters.
//
// The input: rows, columns, then keys. Each key is a byte for its kind; a key with text takes the bytes up to a zero
// byte.

#include "libteam/base/columns.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/utf8.h"
#include "libteam/view/line_editor.h"
#include "libteam/view/top_view.h"
#include "tests/fuzz/fuzz.h"

using namespace team;

namespace {

TeamView make_snapshot(const std::string& text) {
  TeamView snapshot;
  snapshot.team = "alpha";
  snapshot.lead = "lead";
  snapshot.reader = "user";
  for (const char* name : {"lead", "ada", "bob"}) {
    ViewMember member;
    member.status.name = name;
    member.status.state = "active";
    member.status.reason = member.status.subject = member.status.last_words = text;
    member.status.since = 1;
    member.number = snapshot.members.size();
    snapshot.members.push_back(member);
  }
  snapshot.members[1].plan = Request{};
  snapshot.members[1].plan->content = text;
  for (TaskId id = 1; id <= 3; ++id) {
    Task task;
    task.id = id;
    task.subject = task.description = text;
    task.status = id == 1 ? Status::failed : Status::pending;
    task.error = text;
    if (id == 3) task.blocked_by = {1, 2};
    snapshot.board[id] = task;
  }
  snapshot.broken[4] = text;
  snapshot.speaker = "ada";
  snapshot.speech = text;
  add(snapshot, {1, 1, "bob", "NOTE", text, "", text}, 10);
  arrange(snapshot);
  return snapshot;
}

void check_picture(const Picture& picture, Size size) {
  REQUIRE(picture.rows.size() == size.rows);
  for (const Row& row : picture.rows) {
    const std::string text = text_of(row);
    REQUIRE(columns(text) == size.columns && fuzz::is_safe_for_terminal(text));
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
  // Text as it comes from the files: UTF-8, with everything that JSON can hold.
  const TeamView snapshot = make_snapshot(repair_utf8(source.piece()));
  TopView view;
  LineEditor editor;
  check_picture(view.draw(snapshot, screen, 100), screen);
  for (int i = 0; i < 64 && !source.is_empty(); ++i) {
    Key key{static_cast<Key::Kind>(source.below(static_cast<std::size_t>(Key::Kind::other) + 1)), ""};
    const bool has_text = key.kind == Key::Kind::character || key.kind == Key::Kind::pasted;
    // A terminal delivers whole characters, and control characters as other keys.
    if (has_text) key.text = one_line(source.piece());
    editor.press(key);
    check_editor(editor, screen.columns);
    view.press(key, snapshot);
    if (i % 4 == 0) check_picture(view.draw(snapshot, screen, 100), screen);
  }
  check_picture(view.draw(snapshot, screen, 100), screen);
  return 0;
}
