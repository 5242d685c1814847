// Joining and leaving a team.
//
// A person, a starting teammate, the tools of the lead and a team file all add members here. So the limit
// `teammates.max`, the roles of the team and its event log are the same for all of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libteam/record/team.h"
#include "libteam/store/mail.h"

namespace team {

using LifeOf = std::function<Life(const std::string& member)>;

// Several new members of one kind, which get the next free names: PREFIX-1, PREFIX-2, …
struct Recruits {
  std::string prefix;               // the role, or what they are
  std::optional<std::string> role;  // none: no role of the team
  std::int64_t count = 1;
  bool helpers = false;
};

// These change a configuration that is not stored yet. They throw usage for a name that is not allowed, conflict for a
// name that is taken, and not_found for a role that a team with roles does not have. They throw invalid_state if more
// teammates than `teammates.max` would live. Dead teammates, stopped teammates and helpers do not count.
void add_member(Team& team, const std::string& name, const std::optional<std::string>& role, const LifeOf& life_of);
std::vector<std::string> add_recruits(Team& team, const Recruits& recruits, const LifeOf& life_of);
// Adds teammates to a team that is not made yet, by role and count; returns their names.
std::vector<std::string> add_teammates(Team& team, const std::vector<std::pair<std::string, std::int64_t>>& wanted);
// Throws invalid_state if `name`, a member that is dead, may not live again because the team is full.
void check_room_for(const Team& team, const std::string& name, const LifeOf& life_of);

class Membership {
 public:
  // `mail` outlives this. `actor` joins, or adds and removes others.
  Membership(const Mail& mail, Actor actor);

  // Each stores the configuration and then records MEMBER_JOINED or MEMBER_LEFT for every name; throws as above.
  void join(const std::string& name, const std::optional<std::string>& role) const;
  std::vector<std::string> recruit(const Recruits& recruits) const;
  // Throws not_found with similar names, permission_denied for the lead, conflict for a member that runs.
  void leave(const std::vector<std::string>& names) const;

  // For members that the first configuration of a new team contains.
  void record_joined(const std::vector<std::string>& names) const;
  // The lives of members now. A member that is just starting counts as one that was never run.
  LifeOf lives() const;

 private:
  void record(const char* type, const std::vector<std::string>& names) const;

  const Mail& mail_;
  Actor actor_;
};

}  // namespace team
