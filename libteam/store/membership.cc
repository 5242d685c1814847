#include "libteam/store/membership.h"

#include <algorithm>

#include "libteam/base/clock.h"
#include "libteam/base/error.h"
#include "libteam/base/name.h"
#include "libteam/base/spelling.h"
#include "libteam/base/terminal_text.h"
#include "libteam/record/role.h"
#include "libteam/record/settings.h"
#include "libteam/system/file.h"

namespace team {

namespace {

// Throws unless `wanted` more teammates may live; `except` does not count.
void check_room(const Team& team, std::int64_t wanted, std::string_view except, const LifeOf& life_of) {
  const auto most = static_cast<std::int64_t>(number_setting(team, "teammates.max"));
  if (most == 0) return;
  const auto living = std::count_if(team.members.begin(), team.members.end(), [&](const Member& member) {
    const bool counts = member.name != team.lead && member.name != except && !member.helper;
    return counts && life_of(member.name) != Life::dead;
  });
  if (living + wanted <= most) return;
  fail(Code::invalid_state, "team {} has no room for {} more teammate{}: {} of at most {} live (teammates.max)",
       team.name, wanted, wanted == 1 ? "" : "s", living, most);
}

void remove_member(Team& team, const std::string& name) {
  if (name == team.lead) fail(Code::permission_denied, "{} leads team {} and cannot leave it", name, team.name);
  if (std::erase_if(team.members, [&](const Member& member) { return member.name == name; }) > 0) return;
  std::vector<std::string> known;
  for (const Member& member : team.members) known.push_back(member.name);
  fail(Code::not_found, "no member '{}' in team {}{}", one_line(name), team.name, did_you_mean(name, known));
}

}  // namespace

void add_member(Team& team, const std::string& name, const std::optional<std::string>& role, const LifeOf& life_of) {
  check_new_name("member", name);
  if (role) check_role(team, *role);
  for (const Member& member : team.members) {
    if (same_name(member.name, name)) fail(Code::conflict, "{} is in team {} already", member.name, team.name);
  }
  check_room(team, 1, {}, life_of);
  team.members.push_back({name, role, now(), false, "{}"});
}

std::vector<std::string> add_recruits(Team& team, const Recruits& recruits, const LifeOf& life_of) {
  if (recruits.role) check_role(team, *recruits.role);
  if (!recruits.helpers) check_room(team, recruits.count, {}, life_of);
  auto number = std::find_if(team.numbers.begin(), team.numbers.end(),
                             [&](const auto& entry) { return entry.first == recruits.prefix; });
  if (number == team.numbers.end()) number = team.numbers.insert(team.numbers.end(), {recruits.prefix, 0});
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < recruits.count; ++i) {
    std::string name;
    const auto is_taken = [&](const Member& member) { return same_name(member.name, name); };
    do name = fmt::format("{}-{}", recruits.prefix, ++number->second);
    while (std::any_of(team.members.begin(), team.members.end(), is_taken));
    check_new_name("member", name);
    team.members.push_back({name, recruits.role, now(), recruits.helpers, "{}"});
    names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string> add_teammates(Team& team, const std::vector<std::pair<std::string, std::int64_t>>& wanted) {
  std::vector<std::string> names;
  for (const auto& [role, count] : wanted) {
    const auto added = add_recruits(team, {role, role, count, false}, [](const std::string&) { return Life::unknown; });
    names.insert(names.end(), added.begin(), added.end());
  }
  return names;
}

void check_room_for(const Team& team, const std::string& name, const LifeOf& life_of) {
  const Member* member = team.find(name);
  if (member != nullptr && !member->helper) check_room(team, 1, name, life_of);
}

Membership::Membership(const Mail& mail, Actor actor) : mail_(mail), actor_(std::move(actor)) {}

LifeOf Membership::lives() const {
  return [&lives = mail_.engine().lives()](const std::string& name) {
    const Life life = lives.life_of(name);
    // A member that is starting looks dead for a moment, and has no state yet.
    return life == Life::dead && !lives.has_begun(name) ? Life::unknown : life;
  };
}

void Membership::record(const char* type, const std::vector<std::string>& names) const {
  std::vector<Event> events;
  for (const std::string& name : names) events.push_back(make_event(type, {{"member", name}}));
  if (!events.empty()) after_change([&] { mail_.record(actor_, events); });
}

void Membership::record_joined(const std::vector<std::string>& names) const { record("MEMBER_JOINED", names); }

void Membership::join(const std::string& name, const std::optional<std::string>& role) const {
  const LifeOf life_of = lives();
  mail_.engine().change([&](Team& team) { add_member(team, name, role, life_of); });
  record_joined({name});
}

std::vector<std::string> Membership::recruit(const Recruits& recruits) const {
  const LifeOf life_of = lives();
  std::vector<std::string> names;
  mail_.engine().change([&](Team& team) { names = add_recruits(team, recruits, life_of); });
  record_joined(names);
  return names;
}

void Membership::leave(const std::vector<std::string>& names) const {
  if (names.empty()) return;
  mail_.engine().change([&](Team& team) {
    for (const std::string& name : names) {
      remove_member(team, name);
      if (mail_.engine().lives().life_of(name) == Life::running) fail(Code::conflict, "{} is still running", name);
    }
  });
  record("MEMBER_LEFT", names);
}

}  // namespace team
