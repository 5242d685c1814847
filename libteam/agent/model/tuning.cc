#include "libteam/agent/model/tuning.h"

#include <algorithm>
#include <array>

#include "libteam/base/number.h"
#include "libteam/base/text.h"

namespace team {

std::optional<std::pair<int, int>> claude_version(std::string_view model) {
  std::optional<int> major;
  for (const std::string& piece : split(model, '-')) {
    const auto number = piece.size() <= 2 ? parse_integer(piece) : std::nullopt;
    if (!number) {
      if (major) break;
      continue;
    }
    if (major) return std::pair(*major, static_cast<int>(*number));
    major = static_cast<int>(*number);
  }
  return major ? std::optional(std::pair(*major, 0)) : std::nullopt;
}

std::int64_t longest_answer_of(std::string_view claude_model) {
  constexpr std::int64_t kUnknown = 8192;
  const auto version = claude_version(claude_model);
  if (!version || *version == std::pair(3, 5)) return kUnknown;
  if (*version < std::pair(3, 5)) return 4096;
  return 32'000;
}

bool thinks_adaptively(std::string_view claude_model) {
  const auto version = claude_version(claude_model);
  return version && *version >= std::pair(4, 6);
}

bool wants_responses(std::string_view openai_model) {
  constexpr std::array<std::string_view, 5> kPrefixes = {"gpt-5", "gpt-6", "o1", "o3", "o4"};
  constexpr std::array<std::string_view, 3> kParts = {"codex", "deep-research", "computer-use"};
  // The models of ChatGPT itself do not reason.
  if (openai_model.find("-chat") != std::string_view::npos) return false;
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return openai_model.starts_with(prefix); }) ||
         std::any_of(kParts.begin(), kParts.end(),
                     [&](std::string_view part) { return openai_model.find(part) != std::string_view::npos; });
}

}  // namespace team
