// Recordings of models: the replay of an accepted file throws nothing but a ModelError, and the replay can be recorded
// again.
//
// "0000000000000000" stands for the digest of the first request, so that an input can contain its answer.

#include <filesystem>

#include "libteam/agent/model/replay.h"
#include "tests/fuzz/fuzz.h"

using namespace team;

namespace {

ModelRequest opening() {
  ModelRequest request;
  request.system = "You are one.";
  Part part;
  part.text = "Begin.";
  request.turns = {{Turn::Role::user, {part}}};
  return request;
}

std::string with_digest(std::string text) {
  constexpr std::string_view kPlace = "0000000000000000";
  const std::string digest = notes_on(opening()).digest;
  for (std::size_t at = text.find(kPlace); at != std::string::npos; at = text.find(kPlace, at)) {
    text.replace(at, kPlace.size(), digest);
  }
  return text;
}

// Each answer or error as text.
std::string talk(Provider& provider) {
  std::string said;
  ModelRequest request = opening();
  for (int i = 0; i < 3; ++i) {
    try {
      const ModelAnswer answer = provider.ask(request, -1, [&](std::string_view words) { said += words; });
      said += to_line(Turn{Turn::Role::model, answer.parts});
      request.turns.push_back({Turn::Role::model, answer.parts});
      request.turns.push_back(request.turns.front());
    } catch (const ModelError& error) {
      said += error.what();
    }
  }
  return said;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string path = fuzz::scratch() + "/calls.jsonl";
  const std::string copy = fuzz::scratch() + "/again.jsonl";
  fuzz::put_file(path, with_digest(std::string(fuzz::text_of(bytes, size))));
  std::string first;
  if (!fuzz::is_accepted([&] {
        ReplayingProvider player(path);
        first = talk(player);
      })) {
    return 0;
  }
  ReplayingProvider player(path);
  REQUIRE(talk(player) == first);
  std::filesystem::remove(copy);
  {
    RecordingProvider recorder(std::make_unique<ReplayingProvider>(path), copy);
    REQUIRE(talk(recorder) == first);
  }
  if (const auto recorded = fuzz::get_file(copy); recorded && !recorded->empty()) {
    ReplayingProvider again(copy);
    talk(again);
  }
  return 0;
}
