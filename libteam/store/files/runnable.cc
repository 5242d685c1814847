#include "libteam/store/files/runnable.h"

#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libteam/base/error.h"
#include "libteam/base/json.h"
#include "libteam/base/text.h"
#include "libteam/record/role.h"
#include "libteam/store/files/file_lives.h"
#include "libteam/store/files/layout.h"

namespace team {

namespace {

void add_hooks(std::vector<Runnable>& found, const Folder& folder) {
  const auto hooks = folder.find_beneath(layout::kHooks);
  if (!hooks) return;
  std::vector<std::string> names;
  hooks->each_name([&](const char* name) {
    if ((hooks->mode_of(name) & S_IXUSR) != 0) names.emplace_back(name);
  });
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) found.push_back({"hook", name, hooks->path_of(name)});
}

void add_role(std::vector<Runnable>& found, const Role& role, const std::string& place) {
  const RoleSpec spec = parse_role(role, place);
  if (spec.command) found.push_back({"command", role.name, *spec.command});
  if (spec.acp) found.push_back({"command", role.name, *spec.acp});
  if (spec.model) found.push_back({"model", role.name, *spec.model});
  if (spec.base_url) found.push_back({"address", role.name, *spec.base_url});
  if (!spec.prompt.empty()) found.push_back({"prompt", role.name, spec.prompt});
}

void add_start(std::vector<Runnable>& found, const Folder& folder, const std::string& member) {
  const auto state = state_of(folder, member);
  if (!state || !state->resumable) return;
  found.push_back({"start", member, join(state->start.arguments, " ")});
}

}  // namespace

std::vector<Runnable> list_runnables(const Team& team, const Folder& folder) {
  std::vector<Runnable> found;
  const auto add = [&](const char* kind, const std::string& name, const auto& list) {
    try {
      list();
    } catch (const Error& error) {
      found.push_back({kind, name, fmt::format("{}: {}", name_of(error.code()), error.what())});
    }
  };
  add("hook", "-", [&] { add_hooks(found, folder); });
  for (const Role& role : team.roles) add("role", role.name, [&] { add_role(found, role, team.place); });
  for (const Member& member : team.members) add("start", member.name, [&] { add_start(found, folder, member.name); });
  return found;
}

std::string to_line(const Runnable& runnable) {
  return dump_line({{"kind", runnable.kind}, {"name", runnable.name}, {"text", runnable.text}});
}

}  // namespace team
