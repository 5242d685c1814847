// Events: their descriptions for people, and envelopes that can be parsed again.
#include "libteam/record/event.h"

#include "tests/unit/check.h"

using namespace team;

namespace {

std::string told(const std::string& type, const std::string& details) {
  Envelope envelope;
  envelope.type = type;
  envelope.details = details;
  return describe(envelope);
}

void calls() {
  CHECK(told("TOOL_CALL_START", R"({"tool_call_id":"c1","tool_call_name":"bash"})") == "bash");
  CHECK(told("TOOL_CALL_ARGS", R"({"tool_call_id":"c1","delta":"{}"})") == "{}");
  CHECK(told("TOOL_CALL_END", R"({"tool_call_id":"c1"})").empty());
  CHECK(told("TOOL_CALL_RESULT", R"({"tool_call_id":"c1","content":"ok","is_error":false})") == "ok");
  CHECK(told("TOOL_CALL_RESULT", R"({"tool_call_id":"c1","content":"no","is_error":true})") == "error: no");
  const std::string longest = told("TOOL_CALL_RESULT", R"({"content":")" + std::string(1000, 'x') + R"("})");
  CHECK(longest == std::string(199, 'x') + "…");
}

void texts_and_steps() {
  CHECK(told("TEXT_MESSAGE_START", R"({"message_id":"m1","role":"assistant"})").empty());
  CHECK(told("TEXT_MESSAGE_CONTENT", R"({"message_id":"m1","delta":"Hello"})") == "Hello");
  CHECK(told("TEXT_MESSAGE_END", R"({"message_id":"m1"})").empty());
  CHECK(told("TEXT_MESSAGE_END", R"({"message_id":"m1","void":true})") == "(broken off)");
  CHECK(told("STEP_STARTED", R"({"step_name":"task 1","phase":"plan"})") == "task 1 (plan)");
  CHECK(told("STEP_FINISHED", R"({"step_name":"task 1","phase":"work","outcome":"done","seconds":1.26})") ==
        "task 1, done, 1.3 s");
  CHECK(told("STEP_FINISHED", R"({"step_name":"task 1","exit_status":3,"seconds":2})") ==
        "task 1, exit status 3, 2.0 s");
}

// A log edited by hand does not stop its readers.
void odd_values() {
  CHECK(told("TOOL_CALL_RESULT", R"({"content":7,"is_error":"yes"})").size() < 20);
  CHECK(told("STEP_FINISHED", R"({"step_name":"task 1","seconds":"soon"})").starts_with("task 1"));
  CHECK(!find_envelope("{\"seq\":99,\"event\":{\"type\":\"MESSAGE_SENT\""));
  CHECK(!find_envelope("{\"seq\":99}") && !find_envelope("") && !find_envelope("[]"));
  CHECK(find_envelope(R"({"seq":9,"timestamp":1,"agent_id":"bob","event":{"type":"X"}})")->type == "X");
}

// An event can hold any task that a file can hold.
void deep_and_large() {
  const auto read = [](const Event& event) {
    return parse_envelope(to_envelope(1, 0, {"t", "ann", {}, {}}, event), "x");
  };
  std::string deepest = "1";
  for (int i = 0; i < 62; ++i) deepest = "{\"a\":" + deepest + "}";
  const Task plain = parse_task(R"({"subject":"x"})", 1, "1.json");
  const Task deep = parse_task("{\"subject\":\"x\",\"metadata\":" + deepest + "}", 1, "1.json");
  CHECK(read(task_change_event(plain, deep)).details.find(deepest) != std::string::npos);

  Task before = plain, after = plain;
  before.description = std::string(3 << 20, 'a');
  after.description = std::string(3 << 20, 'b');
  after.status = Status::completed;
  after.result = "done";
  const Envelope large = read(task_change_event(before, after));
  CHECK(detail(large, "changes") == "(too long for the log)" && detail(large, "result") == "done");
  CHECK(to_envelope({}, 0, {"t", "ann", {}, {}}, task_change_event(before, after)).size() >
        6 << 20);  // a hook gets the whole task
}

// An event cannot be shortened if its size is in the names of its keys.
void endless_names() {
  const Event event = make_event("NOTED", {{std::string(5 << 20, 'k'), "value"}, {"other", "text"}});
  const std::string line = to_envelope(1, 0, {"t", "ann", {}, {}}, event);
  CHECK(line.find("\"value\"") == std::string::npos && line.find("(too long for the log)") != std::string::npos);
}

void numbers() {
  CHECK(sequence_of(R"({"seq":9007199254740992,"x":1})") == kLargestSequence);
  for (const char* number : {"9007199254740993", "9223372036854775807", "-1", "01", "x"}) {
    CHECK(!sequence_of(fmt::format("{{\"seq\":{},", number)));
  }
}

}  // namespace

int main() {
  deep_and_large();
  endless_names();
  numbers();
  calls();
  texts_and_steps();
  odd_values();
  return test::report();
}
