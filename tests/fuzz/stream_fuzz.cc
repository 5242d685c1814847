// Answers of models: the result depends only on the bytes, not on how the network split them, and an accepted answer
// can be sent to either service again.
//
// The first byte selects the service, the second the ends of the pieces.

#include <algorithm>

#include "libteam/agent/model/anthropic.h"
#include "libteam/agent/model/openai.h"
#include "tests/fuzz/fuzz.h"

using namespace team;

namespace {

std::unique_ptr<WireFormat> service(bool is_openai) {
  if (is_openai) return std::make_unique<OpenAi>("gpt-x", OpenAi::Limit::max_tokens);
  return std::make_unique<Anthropic>("claude-x");
}

struct Outcome {
  std::string heard, events;
  std::string error;  // empty if there is an answer
  ModelAnswer answer;
};

// Generated ids differ from one reading to the next, so they are left out.
std::string summary_of(const ModelAnswer& answer) {
  Turn turn{Turn::Role::model, answer.parts};
  for (Part& part : turn.parts) {
    if (part.id.starts_with("call_")) part.id = "call";
  }
  return fmt::format("{} {} {} {} {} {} {}", to_line(turn), static_cast<int>(answer.stop), answer.model,
                     answer.usage.input, answer.usage.output, answer.usage.cache_read, answer.usage.cache_written);
}

// `length` returns the length of the next piece.
template <class Length>
Outcome read(bool is_openai, std::string_view stream, Length length) {
  Outcome outcome;
  const auto wire = service(is_openai);
  const auto reader = wire->read([&](std::string_view text) { outcome.heard += text; });
  try {
    while (!stream.empty()) {
      const std::string_view piece = stream.substr(0, std::max<std::size_t>(1, length()));
      reader->feed(piece);
      stream.remove_prefix(piece.size());
    }
    outcome.answer = reader->finish();
  } catch (const ModelError& error) {
    REQUIRE(error.kind() != ModelError::Kind::interrupted);
    outcome.error = fmt::format("{} {}", static_cast<int>(error.kind()), error.what());
    REQUIRE(fuzz::is_safe_for_terminal(outcome.error));
  }
  return outcome;
}

template <class Length>
std::string events_of(std::string_view stream, Length length) {
  std::string events;
  EventReader reader([&](const ServerEvent& event) { events += event.type + "=" + event.data + ";"; }, 4096);
  try {
    while (!stream.empty()) {
      const std::string_view piece = stream.substr(0, std::max<std::size_t>(1, length()));
      reader.feed(piece);
      stream.remove_prefix(piece.size());
    }
  } catch (const ModelError& error) {
    events += error.what();
  }
  return events;
}

void check_answer(const ModelAnswer& answer) {
  const bool calls = std::any_of(answer.parts.begin(), answer.parts.end(),
                                 [](const Part& part) { return part.kind == Part::Kind::tool_call; });
  if (answer.stop == ModelAnswer::Stop::tool_calls) REQUIRE(calls);
  REQUIRE(total(answer.usage) >= 0);
  const Turn said{Turn::Role::model, answer.parts};
  REQUIRE(to_line(parse_turn(to_line(said), "turn")) == to_line(said));
  ModelRequest next;
  next.turns = {{Turn::Role::user, {text_part("Begin.")}}, said, {Turn::Role::user, {}}};
  for (const Part& part : answer.parts) {
    if (part.kind != Part::Kind::tool_call) continue;
    Part result = part;
    result.kind = Part::Kind::tool_result;
    next.turns.back().parts.push_back(result);
  }
  for (const bool is_openai : {false, true}) REQUIRE(fuzz::is_json(service(is_openai)->body(next)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  fuzz::Source source(fuzz::text_of(bytes, size));
  const bool is_openai = (source.byte() & 1) != 0;
  std::uint32_t state = source.byte();
  const std::string_view stream = source.rest();
  const auto at_once = [&] { return stream.size(); };
  const auto byte_by_byte = [] { return std::size_t{1}; };
  const auto anywhere = [&] {
    state = state * 1664525 + 1013904223;
    return static_cast<std::size_t>(state >> 24) % 40;
  };
  REQUIRE(events_of(stream, at_once) == events_of(stream, byte_by_byte));
  const Outcome whole = read(is_openai, stream, at_once);
  for (const Outcome& cut : {read(is_openai, stream, byte_by_byte), read(is_openai, stream, anywhere)}) {
    REQUIRE(cut.heard == whole.heard && cut.error == whole.error);
    REQUIRE(summary_of(cut.answer) == summary_of(whole.answer));
  }
  REQUIRE(fuzz::is_utf8(whole.heard));
  if (whole.error.empty()) check_answer(whole.answer);
  return 0;
}
