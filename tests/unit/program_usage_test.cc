// The usage of programs, read from their output: the lines teamkit-usage, and the JSON of claude, codex, gemini,
// opencode.
#include "libteam/record/program_usage.h"

#include <cmath>

#include "tests/unit/check.h"

using namespace team;

namespace {

struct Read {
  Usage usage;
  std::optional<std::string> model, answer;
};

// In pieces of each length, which must not matter.
Read read(std::string_view out, std::string_view err = "") {
  Read whole;
  for (const std::size_t length : {std::size_t{1}, std::size_t{7}, SIZE_MAX}) {
    ProgramUsage reader;
    for (std::size_t at = 0; at < out.size(); at += std::min(length, out.size()))
      reader.read_out(out.substr(at, length));
    for (std::size_t at = 0; at < err.size(); at += std::min(length, err.size()))
      reader.read_err(err.substr(at, length));
    const Usage usage = reader.usage();
    const bool is_same = length == 1 || (to_json_text(usage) == to_json_text(whole.usage) &&
                                         reader.model() == whole.model && reader.answer() == whole.answer);
    CHECK(is_same);
    whole = {usage, reader.model(), reader.answer()};
  }
  return whole;
}

bool used(const Read& read, const Usage& usage) { return to_json_text(read.usage) == to_json_text(usage); }

void notes() {
  CHECK(used(read("", "x\nteamkit-usage: {\"input\":100,\"output\":20,\"usd\":0.5}\ny"), {100, 20, 0, 0, 0.5}));
  CHECK(used(read("", "teamkit-usage: {\"input\":1}\nteamkit-usage:{\"cache_read\":2,\"cache_written\":3}"),
             {1, 0, 2, 3}));
  CHECK(used(read("", "teamkit-usage: 5\nteamkit-usage: {\nteamkit-usage: {\"input\":-1,\"usd\":\"x\"}\n"), {}));
  CHECK(used(read("teamkit-usage: {\"input\":100}\n"), {}));
  // A wrapper that counts by itself goes before the agent.
  CHECK(used(read(R"({"type":"turn.completed","usage":{"input_tokens":5,"output_tokens":5}})",
                  "teamkit-usage: {\"input\":1}\n"),
             {1, 0, 0, 0}));
}

void claude() {
  const char* kResult =
      R"({"type":"result","subtype":"success","is_error":false,"result":"Done.","total_cost_usd":0.0125,)"
      R"("usage":{"input_tokens":10,"cache_creation_input_tokens":200,"cache_read_input_tokens":3000,"output_tokens":40}})";
  const Read one = read(kResult);
  CHECK(used(one, {10, 40, 3000, 200, 0.0125}) && one.answer == "Done.");
  const Read stream =
      read(std::string(R"({"type":"assistant","message":{"usage":{"input_tokens":9}}})") + "\n" + kResult);
  CHECK(used(stream, {10, 40, 3000, 200, 0.0125}) && stream.answer == "Done.");
}

void codex() {
  const Read both = read(R"({"type":"thread.started","thread_id":"t"}
{"type":"item.completed","item":{"type":"reasoning","text":"hm"}}
{"type":"item.completed","item":{"type":"agent_message","text":"Half."}}
{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":80,"output_tokens":7}}
{"type":"item.completed","item":{"type":"agent_message","text":"All."}}
{"type":"turn.completed","usage":{"input_tokens":50,"cached_input_tokens":0,"output_tokens":3}})");
  CHECK(used(both, {70, 10, 80, 0}) && both.answer == "All.");
}

void gemini() {
  const Read document = read(R"({
  "response": "Paris.",
  "stats": {
    "models": {
      "gemini-2.5-pro": {"tokens": {"prompt": 100, "candidates": 20, "total": 131, "cached": 60, "thoughts": 10, "tool": 1}}
    }
  }
})");
  CHECK(used(document, {41, 30, 60, 0}) && document.answer == "Paris." && document.model == "gemini-2.5-pro");
  CHECK(used(read(R"({"type":"result","stats":{"input_tokens":30,"output_tokens":5,"cached":10}})"), {20, 5, 10, 0}));
}

void opencode() {
  const Read steps = read(
      R"({"type":"text","sessionID":"s","part":{"type":"text","text":"Hello"}}
{"type":"step_finish","sessionID":"s","part":{"tokens":{"input":11,"output":5,"reasoning":2,"cache":{"write":3,"read":4}},"cost":0.25}}
{"type":"step_finish","sessionID":"s","part":{"tokens":{"input":1,"output":1},"cost":0.25}})");
  CHECK(used(steps, {12, 8, 4, 3, 0.5}) && steps.answer == "Hello");
}

void others() {
  for (const char* text : {"", "plain text", "{", "{}", "[1]", R"({"type":"result"})",
                           R"({"usage":{"input_tokens":5}})", R"({"response":"x"})", R"({"stats":5,"response":"x"})"}) {
    const Read nothing = read(text);
    CHECK(used(nothing, {}) && !nothing.answer);
  }
  ProgramUsage reader;  // a line without an end
  for (int i = 0; i < 6; ++i) reader.read_out(std::string(std::size_t{1} << 20, 'x'));
  reader.read_out("\n{\"type\":\"turn.completed\",\"usage\":{\"output_tokens\":3}}\n");
  CHECK(reader.usage().output == 3);
}

}  // namespace

int main() {
  notes();
  claude();
  codex();
  gemini();
  opencode();
  others();
  return test::report();
}
