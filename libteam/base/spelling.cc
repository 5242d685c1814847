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

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string plain(std::string_view key) {
  std::string letters;
  for (const char c : key) {
    if (c == '_' || c == '-') continue;
    letters += lower(c);
  }
  return letters;
}

// The first known key whose last part matches.
template <class Fits>
std::optional<std::string> find_part(const std::vector<std::string>& known, const Fits& fits) {
  const auto found = std::find_if(known.begin(), known.end(), [&](const auto& key) { return fits(last_part(key)); });
  return found == known.end() ? std::nullopt : std::optional(*found);
}

std::size_t edit_distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t changed = diagonal + (lower(one[i - 1]) == lower(other[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> nearest(std::string_view wrong, const std::vector<std::string>& known) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& name : known) {
    const std::size_t distance = edit_distance(wrong, name);
    if (distance <= std::max<std::size_t>(1, name.size() / 3)) ranked.emplace_back(distance, name);
  }
  std::sort(ranked.begin(), ranked.end());
  constexpr std::size_t kMost = 3;
  std::vector<std::string> names;
  for (auto& [distance, name] : ranked) {
    if (names.size() < kMost) names.push_back(std::move(name));
  }
  return names;
}

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
