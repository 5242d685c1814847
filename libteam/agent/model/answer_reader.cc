#include "libteam/agent/model/answer_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libteam/base/error.h"
#include "libteam/base/text.h"

namespace team {

namespace {

using Kind = ModelError::Kind;

constexpr std::size_t kMostOfEvent = std::size_t{16} << 20;
constexpr std::size_t kMostOfAnswer = std::size_t{32} << 20;
constexpr std::size_t kMostOfStream = std::size_t{256} << 20;

}  // namespace

AnswerReader::AnswerReader(Provider::Hear hear)
    : hear_(std::move(hear)),
      events_(
          [this](const ServerEvent& event) {
            // Some servers keep the connection alive with events instead of comments.
            if (complete_ || is_blank(event.data)) return;
            try {
              take(event);
            } catch (const nlohmann::json::exception&) {
              throw ModelError(Kind::passing, "an event of the stream makes no sense");
            }
            const std::string said = std::move(said_);
            said_.clear();
            if (!said.empty() && hear_) hear_(said);
          },
          kMostOfEvent) {}

void AnswerReader::feed(std::string_view piece) {
  read_ += piece.size();
  if (read_ > kMostOfStream) throw ModelError(Kind::final, "the answer is a stream without end");
  events_.feed(piece);
}

ModelAnswer AnswerReader::finish() {
  ModelAnswer answer;
  if (!conclude(answer)) throw ModelError(Kind::passing, "the stream ended before the answer did");
  const bool calls = std::any_of(answer.parts.begin(), answer.parts.end(),
                                 [](const Part& part) { return part.kind == Part::Kind::tool_call; });
  // Servers give different stop reasons for an answer that ends with calls.
  if (calls && answer.stop == ModelAnswer::Stop::end) answer.stop = ModelAnswer::Stop::tool_calls;
  if (!calls && answer.stop == ModelAnswer::Stop::tool_calls) answer.stop = ModelAnswer::Stop::end;
  return answer;
}

void AnswerReader::say(std::string_view text) { said_ += text; }

void AnswerReader::grow(std::size_t bytes) {
  kept_ += bytes;
  if (kept_ > kMostOfAnswer)
    throw ModelError(Kind::final, fmt::format("the answer is larger than {} bytes", kMostOfAnswer));
}

Json parse_event(const ServerEvent& event) {
  try {
    Json json = parse_json(event.data, "event", {.bytes = kMostOfEvent});
    if (json.is_object()) return json;
  } catch (const Error&) {
    // Reported below.
  }
  throw ModelError(Kind::passing, "an event of the stream is malformed");
}

}  // namespace team
