// Changes of status, the contents of a task file, and the keys that survive a rewrite.
#include "libteam/record/task.h"

#include "tests/unit/check.h"

using namespace team;
using test::fails_with;
using test::message_of;

namespace {

Task parse(std::string_view text) { return parse_task(text, 3, "3.json"); }

std::string refusal(std::string_view text) {
  return message_of([&] { parse(text); });
}

void changes_of_status() {
  using enum Status;
  const Status all[] = {pending, in_progress, completed, failed};
  for (const Status from : all) {
    for (const Status to : all) {
      const bool allowed = (from == pending && to == in_progress) || (from == in_progress && to != in_progress) ||
                           (from == failed && to == pending);
      CHECK(may_move(from, to) == allowed);
    }
  }
  for (const Status status : all) CHECK(parse_status(name_of(status)) == status);
  CHECK(!parse_status("banana"));
}

void files() {
  const Task least = parse("{\"subject\": \"x\"}");
  CHECK(least.id == 3 && least.status == Status::pending && least.rev == 0 && !least.owner);
  CHECK(refusal("{\n\"id\": 4}") == "3.json:2:1: 'id' must be 3, as the file is named");
  CHECK(refusal("{\"status\": \"banana\"}").find("'status' must be pending") != std::string::npos);
  CHECK(refusal("{\"status\": \"in_progress\"}").find("'owner' must be set") != std::string::npos);
  for (const char* bad :
       {"[]", "3", "{\"id\": \"3\"}", "{\"id\": 3.0}", "{\"subject\": 1}", "{\"priority\": 3}", "{\"priority\": -1}",
        "{\"blockedBy\": 1}", "{\"blockedBy\": [\"1\"]}", "{\"blockedBy\": [0]}", "{\"owner\": \"../x\"}",
        "{\"owner\": \"\"}", "{\"metadata\": []}", "{\"createdAt\": \"now\"}", "{\"rev\": -1}", "{\"lease\": {}}"}) {
    CHECK(fails_with(Code::corrupt, [&] { parse(bad); }));
  }
  CHECK(parse("{\"blockedBy\": [2, 1, 2]}").blocked_by == (std::vector<TaskId>{2, 1}));
}

void rewrites() {
  const std::string text =
      "{\"id\":3,\"subject\":\"x\",\"mine\":{\"deep\":[1,2.5,null]},\"metadata\":{\"k\":1},\"also\":\"kept\"}";
  const Task again = parse(to_file(parse(text)));
  CHECK(again.extra == "{\"mine\":{\"deep\":[1,2.5,null]},\"also\":\"kept\"}");
  CHECK(again.metadata == "{\"k\":1}");
  CHECK(to_file(again) == to_file(parse(to_file(again))));
}

void metadata() {
  Task task = parse("{\"subject\": \"x\"}");
  set_metadata(task, "n", "5");
  set_metadata(task, "s", "plain text");
  set_metadata(task, "q", "\"5\"");
  CHECK(task.metadata == "{\"n\":5,\"s\":\"plain text\",\"q\":\"5\"}");
  set_metadata(task, "n", std::nullopt);
  CHECK(task.metadata == "{\"s\":\"plain text\",\"q\":\"5\"}");
  set_metadata(task, "deep", std::string(100, '[') + std::string(100, ']'));
  CHECK(parse(to_file(task)).metadata == task.metadata);
}

void drafts() {
  const Draft draft = parse_draft("{\"key\":\"a\",\"subject\":\"x\",\"blockedBy\":[\"b\",7]}", "line 1");
  CHECK(draft.key == "a" && draft.blocked_by_keys == std::vector<std::string>{"b"});
  CHECK(draft.task.blocked_by == std::vector<TaskId>{7});
  for (const char* bad :
       {"{}", "{\"subject\":\" \"}", "nonsense", "[]", "{\"subject\":\"x\",\"id\":1}",
        "{\"subject\":\"x\",\"status\":\"completed\"}", "{\"subject\":\"x\",\"priority\":9}",
        "{\"subject\":\"x\",\"deliverable\":\"../x\"}", "{\"subject\":\"x\",\"deliverable\":\"/etc/x\"}"}) {
    CHECK(fails_with(Code::usage, [&] { parse_draft(bad, "line 1"); }));
  }
}

}  // namespace

int main() {
  changes_of_status();
  files();
  rewrites();
  metadata();
  drafts();
  return test::report();
}
