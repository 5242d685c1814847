// The permissions of an agent that asks before it uses a tool: a rule for each kind of tool.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace team {

enum class Permission { allow, reject, ask };
// The kinds of the Agent Client Protocol. `search` and `think` count as read; `switch_mode` and unknown kinds as other.
enum class ToolKind { read, edit, remove, move, execute, fetch, other };

inline constexpr std::size_t kToolKinds = 7;

std::string_view name_of(ToolKind kind);
ToolKind tool_kind_of(std::string_view name);
// True if tools of this kind may change something: they are closed until a plan is approved.
bool may_change(ToolKind kind);

class Permissions {
 public:
  Permission of(ToolKind kind) const { return rules_[static_cast<std::size_t>(kind)]; }

  // "ask", or "execute=ask,edit=allow". A kind without a rule is allowed. None if the text is no such rule.
  static std::optional<Permissions> parse(std::string_view text);
  // The same from pairs; `all` names every kind.
  static std::optional<Permissions> from(const std::vector<std::pair<std::string, std::string>>& rules);

 private:
  std::array<Permission, kToolKinds> rules_ = {};
};

// What parse() accepts, for messages.
inline constexpr std::string_view kPermissionsExpected =
    "allow, reject or ask, or such a rule for kinds of tools (read, edit, delete, move, execute, fetch, other)";

}  // namespace team
