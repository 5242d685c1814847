// How much a model may write and think: the choices of the user, and good values for models that are known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace team {

struct ModelTuning {
  std::string effort;    // none, minimal, low, medium, high, xhigh or max; empty: the default of the service
  std::string thinking;  // off, adaptive or a number of tokens; empty: the default for the model
};

// The version in the name of a Claude model: claude-opus-4-6 is {4, 6}, claude-3-5-sonnet {3, 5}. None if the name has
// no version.
std::optional<std::pair<int, int>> claude_version(std::string_view model);

// The longest answer, in tokens, that a Claude model of this name can give; a cautious number for an unknown one.
std::int64_t longest_answer_of(std::string_view claude_model);
// True if the model decides by itself how much it thinks.
bool thinks_adaptively(std::string_view claude_model);

// True if a model of OpenAI has only the Responses API, or loses its reasoning with the older one.
bool wants_responses(std::string_view openai_model);

}  // namespace team
