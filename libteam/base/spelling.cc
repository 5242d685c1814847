#include "libteam/base/spelling.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "libteam/base/text.h"

namespace team {

namespace {

// Synonyms of keys, without case, '_' and '-'.
constexpr std::array<std::pair<std::string_view, std::string_view>, 37> kSynonyms = {{
    // tasks
    {"dependson", "blockedBy"},
    {"dependencies", "blockedBy"},
    {"dependency", "blockedBy"},
    {"depends", "blockedBy"},
    {"deps", "blockedBy"},
    {"requires", "blockedBy"},
    {"prerequisites", "blockedBy"},
    {"waitsfor", "blockedBy"},
    {"blockers", "blockedBy"},
    {"adddependson", "addBlockedBy"},
    {"adddependencies", "addBlockedBy"},
    {"removedependencies", "removeBlockedBy"},
    {"removedependson", "removeBlockedBy"},
    {"title", "subject"},
    {"assignee", "owner"},
    {"assignedto", "owner"},
    {"prio", "priority"},
    // limits
    {"timeout", "time"},
    {"timelimit", "time"},
    {"maxtime", "time"},
    {"idletimeout", "idle"},
    {"retry", "retries"},
    {"maxretries", "retries"},
    {"maxattempts", "retries"},
    {"tries", "retries"},
    // roles
    {"exec", "command"},
    {"cmd", "command"},
    {"planmode", "plan"},
    {"planmoderequired", "plan"},
    {"systemprompt", "prompt"},
    {"instructions", "prompt"},
    {"url", "base_url"},
    {"endpoint", "base_url"},
    {"allowedtools", "tools"},
    // messages
    {"to", "recipient"},
    {"message", "content"},
    {"body", "content"},
}};

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('.') + 1); }

std::string plain(std::string_view key) {
  std::string letters;
  for (const char c : key) {
    if (c == '_' || c == '-') continue;
    letters += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return letters;
}

// The first known key whose last part matches.
template <class Fits>
std::optional<std::string> find_part(const std::vector<std::string>& known, const Fits& fits) {
  const auto found = std::find_if(known.begin(), known.end(), [&](const auto& key) { return fits(last_part(key)); });
  return found == known.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& known) {
  const auto near = nearest(wrong, known);
  return near.empty() ? "" : suggest(join(near, " or "));
}

std::string suggest(std::string_view meant) { return fmt::format("; did you mean {}?", meant); }

std::optional<std::string> meant_key(std::string_view unknown, const std::vector<std::string>& known) {
  const std::string letters = plain(unknown);
  if (auto same = find_part(known, [&](std::string_view part) { return plain(part) == letters; })) return same;
  for (const auto& [synonym, meant] : kSynonyms) {
    if (synonym != letters) continue;
    if (auto key = find_part(known, [&, meant = meant](std::string_view part) { return part == meant; })) return key;
  }
  std::vector<std::string> parts;
  for (const std::string& key : known) parts.push_back(plain(last_part(key)));
  const auto near = nearest(letters, parts);
  if (near.empty()) return std::nullopt;
  return find_part(known, [&](std::string_view part) { return plain(part) == near.front(); });
}

}  // namespace team
