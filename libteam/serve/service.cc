#include "libteam/serve/service.h"

#include "libteam/record/actor.h"
#include "libteam/store/team_choice.h"

namespace team {

Service::Service(const Engine& engine, ServiceOptions options) : engine_(engine), options_(std::move(options)) {}

std::string Service::choose_team(const std::optional<std::string>& name) const {
  if (name) return *name;
  if (options_.team) return *options_.team;
  const auto only = find_only_team(engine_).name;
  if (!only) fail(Code::not_found, "no team in '{}'; team-create makes one", engine_.place());
  return *only;
}

std::string Service::team_of(const WebRequest& request) const { return choose_team(request.find_query("team")); }

Service::Session Service::open_session(const std::string& team, const std::optional<std::string>& as) const {
  const std::pair key(team, choose_actor(options_.member, as));
  std::unique_ptr<TeamSession> session;
  {
    const std::lock_guard guard(mutex_);
    auto& free = free_[key];
    if (!free.empty()) {
      session = std::move(free.back());
      free.pop_back();
    }
  }
  if (!session) {
    const Team found = engine_.get(team);
    const auto run = as && as != options_.member ? std::nullopt : options_.run;
    session = std::make_unique<TeamSession>(engine_, team, make_actor(key.second, run, &found));
  } else if (!session->is_current()) {
    session->refresh();
  }
  return {session.release(), [this, key](TeamSession* used) {
            // A few are kept: as many as there are threads.
            constexpr std::size_t kMost = 8;
            std::unique_ptr<TeamSession> returned(used);
            const std::lock_guard guard(mutex_);
            auto& free = free_[key];
            if (free.size() < kMost) free.push_back(std::move(returned));
          }};
}

}  // namespace team
