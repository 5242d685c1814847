#include "libteam/base/secrets.h"

#include <algorithm>
#include <array>

namespace team {

namespace {

constexpr std::size_t kShortestSecret = 8;
constexpr std::string_view kPlaceholder = "[key]";

// How keys of services begin, and how many letters, digits, '-' and '_' follow at least.
constexpr std::array<std::string_view, 10> kKeyStarts = {"sk-", "ghp_", "gho_",   "ghs_",  "github_pat_",
                                                         "hf_", "AKIA", "glpat-", "xoxb-", "AIza"};
constexpr std::size_t kShortestRest = 16;

bool is_key_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

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
  if (secret.size() < kShortestSecret) return text;
  for (std::size_t at = 0; (at = text.find(secret, at)) != std::string::npos; at += kPlaceholder.size()) {
    text.replace(at, secret.size(), kPlaceholder);
  }
  return text;
}

std::string redact_keys(std::string text) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_key_letter(text[end])) ++end;
    const std::string_view word = std::string_view(text).substr(at, end - at);
    const bool is_key = std::any_of(kKeyStarts.begin(), kKeyStarts.end(), [&](std::string_view start) {
      return word.starts_with(start) && word.size() >= start.size() + kShortestRest;
    });
    if (is_key) {
      text.replace(at, word.size(), kPlaceholder);
      at += kPlaceholder.size();
    } else {
      at = end + 1;
    }
  }
  return text;
}

}  // namespace team
