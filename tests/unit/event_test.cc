// What an event was about, for people.
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

// Whoever edits the log by hand stops nobody who reads it.
void odd_values() {
  CHECK(told("TOOL_CALL_RESULT", R"({"content":7,"is_error":"yes"})").size() < 20);
  CHECK(told("STEP_FINISHED", R"({"step_name":"task 1","seconds":"soon"})").starts_with("task 1"));
  CHECK(!find_envelope("{\"seq\":99,\"event\":{\"type\":\"MESSAGE_SENT\""));
  CHECK(!find_envelope("{\"seq\":99}") && !find_envelope("") && !find_envelope("[]"));
  CHECK(find_envelope(R"({"seq":9,"timestamp":1,"agent_id":"bob","event":{"type":"X"}})")->type == "X");
}

}  // namespace

int main() {
  calls();
  texts_and_steps();
  odd_values();
  return test::report();
}
