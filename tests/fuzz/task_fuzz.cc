// Tasks: an accepted file is written back the same, with its unknown keys, and every event about it can be read.

#include "libteam/base/utf8.h"
#include "libteam/record/task.h"

#include "libteam/record/event.h"
#include "tests/fuzz/fuzz.h"

using namespace team;

namespace {

void check_event(const Event& event) {
  const std::string line = to_envelope(1, 0, {"team", "ann", {}, {}}, event);
  const Envelope read = parse_envelope(line, "events.jsonl");
  REQUIRE(read.seq == 1 && read.type == event.type && line.find('\n') == std::string::npos);
}

void check_file(std::string_view text) {
  Task task;
  if (!fuzz::is_accepted([&] { task = parse_task(text, 1, "1.json"); })) return;
  const std::string written = to_file(task);
  const Task again = parse_task(written, 1, "1.json");
  REQUIRE(to_file(again) == written);
  REQUIRE(fuzz::keeps_unknown_keys(text, written, to_file(Task{}), {"lease"}));
  REQUIRE(fuzz::is_json(to_line(task, {})));
  Task before;
  before.id = 1;
  check_event(task_change_event(before, task));
  check_event(task_event("TASK_CREATED", task));
}

void check_draft(std::string_view line) {
  Draft draft;
  if (!fuzz::is_accepted([&] { draft = parse_draft(line, "line 1"); }, Code::usage)) return;
  draft.task.id = 1;
  check_task(draft.task);
  const std::string written = to_file(draft.task);
  REQUIRE(to_file(parse_task(written, 1, "1.json")) == written);
  REQUIRE(fuzz::keeps_unknown_keys(line, written, to_file(Task{}), {"key"}));
}

void check_metadata(std::string_view text) {
  Task task;
  task.id = 1;
  task.subject = "x";
  // Text as a command line or a tool passes it.
  const std::string key = repair_utf8(text.substr(0, text.find('=')));
  set_metadata(task, key, repair_utf8(text));
  REQUIRE(to_file(parse_task(to_file(task), 1, "1.json")) == to_file(task));
  set_metadata(task, key, std::nullopt);
  REQUIRE(task.metadata == "{}");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = fuzz::text_of(bytes, size);
  check_file(text);
  check_draft(text);
  check_metadata(text);
  return 0;
}
