#include "libteam/record/actor.h"

#include "libteam/base/error.h"
#include "libteam/base/name.h"
#include "libteam/base/terminal_text.h"

namespace team {

std::string choose_actor(const std::optional<std::string>& member, const std::optional<std::string>& as) {
  if (member && as && *as != *member) {
    fail(Code::permission_denied, "you are {} (TEAM_MEMBER) and cannot act as {}", *member, one_line(*as));
  }
  std::string name = as.value_or(member.value_or("user"));
  if (!is_name(name)) fail(Code::usage, "'{}' is not a name", one_line(name));
  if (same_name(name, "system")) fail(Code::permission_denied, "nobody acts as system");
  if (same_name(name, "all")) fail(Code::usage, "'all' is reserved");
  return name;
}

Actor make_actor(std::string name, std::optional<std::string> run, const Team* team) {
  Actor actor;
  actor.leads = name == "user" || name == (team != nullptr ? team->lead : "lead");
  const Member* self = team != nullptr ? team->find(name) : nullptr;
  if (self != nullptr) actor.role = self->role;
  actor.name = std::move(name);
  actor.run = std::move(run);
  return actor;
}

std::optional<std::string> role_name_of(const Actor& actor) {
  return actor.leads && actor.name != "user" && actor.name != "system" ? "leader" : actor.role;
}

void require_lead(const Actor& actor, std::string_view what) {
  if (!actor.leads) fail(Code::permission_denied, "only the lead or the user may {}, not {}", what, actor.name);
}

}  // namespace team
