#include "libteam/serve/service.h"

#include "libteam/record/actor.h"
#include "libteam/store/team_choice.h"

namespace team {

Service::Service(const Engine& engine, ServiceOptions options) : engine_(engine), options_(std::move(options)) {}

std::string Service::choose_team(const std::optional<std::string>& name) const {
  if (name) return *name;
  if (options_.team) return *options_.team;
  const auto only = find_only_team(engine_).name;
  if (!only) fail_without_team(engine_);
  return *only;
}

std::string Service::team_of(const WebRequest& request) const { return choose_team(request.find_query("team")); }

Service::Session Service::open_session(const std::string& team, const std::optional<std::string>& as) const {
  const std::pair key(team, choose_actor(options_.member, as));
  std::unique_ptr<TeamSession> session;
  {
    const std::lock_guard guard(mutex_);
    const auto free = free_.find(key);
    if (free != free_.end() && !free->second.empty()) {
      session = std::move(free->second.back());
      free->second.pop_back();
      --kept_;
    }
  }
  if (!session || !session->is_current()) {
    const auto found = std::make_shared<const FoundTeam>(engine_.find_team(team));
    const auto run = as && as != options_.member ? std::nullopt : options_.run;
    // A request makes no board. Somebody may have taken it away, and is about to bring it back (git stash).
    session = std::make_unique<TeamSession>(engine_, found, make_actor(key.second, run, &found->team), Missing::refuse);
    session->refresh();
  }
  return {session.release(), [this, key](TeamSession* used) { keep(key, std::unique_ptr<TeamSession>(used)); }};
}

// A session holds open folders, and a client may act as any number of names. So when too many are free, all others go.
void Service::keep(const FreeSessions::key_type& key, std::unique_ptr<TeamSession> session) const {
  constexpr std::size_t kMost = 32;
  FreeSessions old;  // closed without the lock
  const std::lock_guard guard(mutex_);
  if (kept_ >= kMost) {
    free_.swap(old);
    kept_ = 0;
  }
  free_[key].push_back(std::move(session));
  ++kept_;
}

}  // namespace team
