#include "libteam/record/permissions.h"

#include <algorithm>

#include "libteam/base/text.h"

namespace team {

namespace {

constexpr std::array<std::string_view, kToolKinds> kKinds = {"read",    "edit",  "delete", "move",
                                                             "execute", "fetch", "other"};

std::optional<Permission> parse_rule(std::string_view text) {
  if (text == "allow") return Permission::allow;
  if (text == "reject") return Permission::reject;
  if (text == "ask") return Permission::ask;
  return std::nullopt;
}

}  // namespace

std::string_view name_of(ToolKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

ToolKind tool_kind_of(std::string_view name) {
  if (name == "search" || name == "think") return ToolKind::read;
  const auto found = std::find(kKinds.begin(), kKinds.end(), name);
  return found == kKinds.end() ? ToolKind::other : static_cast<ToolKind>(found - kKinds.begin());
}

bool may_change(ToolKind kind) {
  return kind == ToolKind::edit || kind == ToolKind::remove || kind == ToolKind::move || kind == ToolKind::execute;
}

std::optional<Permissions> Permissions::parse(std::string_view text) {
  if (text.find('=') == std::string_view::npos) return from({{"all", std::string(text)}});
  std::vector<std::pair<std::string, std::string>> rules;
  for (const std::string& part : split(text, ',')) {
    const std::size_t at = part.find('=');
    if (at == std::string::npos) return std::nullopt;
    rules.emplace_back(part.substr(0, at), part.substr(at + 1));
  }
  return from(rules);
}

std::optional<Permissions> Permissions::from(const std::vector<std::pair<std::string, std::string>>& rules) {
  Permissions made;
  for (const auto& [kind, text] : rules) {
    const auto rule = parse_rule(text);
    if (!rule) return std::nullopt;
    const auto found = std::find(kKinds.begin(), kKinds.end(), kind);
    if (kind == "all") made.rules_.fill(*rule);
    else if (found != kKinds.end()) made.rules_[static_cast<std::size_t>(found - kKinds.begin())] = *rule;
    else return std::nullopt;
  }
  return made;
}

}  // namespace team
