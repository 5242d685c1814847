#include "libteam/base/secrets.h"

#include <algorithm>
#include <array>

namespace team {

namespace {

constexpr std::size_t kShortestSecret = 8;

constexpr std::array<std::string_view, 7> kSuffixes = {"_API_KEY",    "_API_KEYS",    "_APIKEY",      "_API_TOKEN",
                                                       "_AUTH_TOKEN", "_OAUTH_TOKEN", "_BEARER_TOKEN"};

// Names that no suffix covers. Custom headers often are "Authorization: Bearer KEY".
constexpr std::array<std::string_view, 5> kNames = {"ANTHROPIC_CUSTOM_HEADERS", "API_KEY", "AWS_BEARER_TOKEN_BEDROCK",
                                                    "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"};

}  // namespace

bool is_secret(std::string_view variable) {
  std::string name(variable);
  for (char& letter : name) {
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  }
  const auto ends_name = [&](std::string_view suffix) { return name.ends_with(suffix); };
  return std::any_of(kSuffixes.begin(), kSuffixes.end(), ends_name) ||
         std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::string redact(std::string text, std::string_view secret) {
  constexpr std::string_view kPlaceholder = "[key]";
  if (secret.size() < kShortestSecret) return text;
  for (std::size_t at = 0; (at = text.find(secret, at)) != std::string::npos; at += kPlaceholder.size()) {
    text.replace(at, secret.size(), kPlaceholder);
  }
  return text;
}

}  // namespace team
