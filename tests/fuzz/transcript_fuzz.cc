// Transcripts: an accepted conversation is the same when it is opened again, also after it was continued and shortened,
// and it can be sent to either service.

#include "libteam/agent/model/anthropic.h"
#include "libteam/agent/model/memory.h"
#include "libteam/agent/model/openai.h"
#include "tests/fuzz/fuzz.h"

using namespace team;

namespace {

const Folder& folder() {
  static const Folder found = *Folder::find(fuzz::scratch());
  return found;
}

Memory open() { return {TranscriptFile(folder(), "bob", Durability::process), "Remember: You are 'bob'."}; }

std::string text_of(const Memory& memory) {
  std::string text;
  for (const Turn& turn : memory.turns()) text += to_line(turn) + "\n";
  if (memory.open()) text += memory.open()->title + memory.open()->prompt;
  return text + memory.last_word().value_or("-");
}

void check_sendable(const Memory& memory) {
  for (const Turn& turn : memory.turns()) {
    for (const Part& part : turn.parts) REQUIRE(fuzz::is_utf8(part.text) && fuzz::is_utf8(part.arguments));
  }
  ModelRequest request;
  request.turns = memory.turns();
  REQUIRE(fuzz::is_json(Anthropic("claude-x").body(request)));
  REQUIRE(fuzz::is_json(OpenAi("gpt-x", OpenAi::Limit::none).body(request)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  fuzz::put_file(fuzz::scratch() + "/bob_transcript.jsonl", fuzz::text_of(bytes, size));
  std::optional<Memory> memory;
  if (!fuzz::is_accepted([&] { memory.emplace(open()); })) return 0;
  REQUIRE(text_of(open()) == text_of(*memory));
  check_sendable(*memory);

  for (const Part& call : memory->unanswered()) memory->answer(call, "done \xff", false);
  REQUIRE(memory->unanswered().empty());
  memory->tell("and then?");
  memory->cut_results(1, 8);
  REQUIRE(text_of(open()) == text_of(*memory));
  memory->summarize(size % 2 == 0 ? "" : "It went on.", 16);
  REQUIRE(text_of(open()) == text_of(*memory) && memory->turns().back().role == Turn::Role::user);
  check_sendable(*memory);
  memory->end();
  REQUIRE(!open().open());
  return 0;
}
