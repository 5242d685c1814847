#include "libteam/agent/life/work_folder.h"

#include <stdlib.h>

#include <filesystem>

#include "libteam/base/error.h"
#include "libteam/base/terminal_text.h"
#include "libteam/record/settings.h"

namespace team {

namespace {

void make_absolute(std::optional<std::string>& path) {
  if (path) path = std::filesystem::absolute(*path).lexically_normal();
}

}  // namespace

std::unique_ptr<const MemberTree> enter_tree(TeammateChoice& choice, const RoleSpec& role, const TeamSession& session) {
  ::unsetenv(kTreeVariable);  // that of the agent which started this one
  const bool is_asked_for = choice.tree || role.tree;
  if (!is_asked_for && !switch_setting(session.team(), "git.trees")) return nullptr;
  if (!is_asked_for && !Repository::find(session.engine().place())) return nullptr;
  auto tree = std::make_unique<const MemberTree>(session);
  make_absolute(choice.model.record);
  make_absolute(choice.model.replay);
  for (std::string& folder : choice.model.allowed) folder = std::filesystem::absolute(folder).lexically_normal();
  std::error_code error;
  std::filesystem::current_path(tree->folder(), error);
  if (error) fail(Code::io, "cannot enter '{}': {}", one_line(tree->folder()), error.message());
  ::setenv(kTreeVariable, tree->top().c_str(), 1);
  return tree;
}

}  // namespace team
