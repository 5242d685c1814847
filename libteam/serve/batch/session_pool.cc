#include "libteam/serve/batch/session_pool.h"

#include "libteam/record/actor.h"
#include "libteam/store/team_choice.h"

namespace team {

namespace {

// A session without a team cannot be refreshed.
bool is_usable(TeamSession& session) {
  try {
    if (session.team_or_none() == nullptr) return session.board().is_in_place();
    if (!session.is_current()) session.refresh();
    return session.has_board();
  } catch (const Error& error) {
    if (error.code() != Code::not_found) throw;
    return false;
  }
}

}  // namespace

std::optional<std::string> SessionPool::choose_team(const std::optional<std::string>& named) {
  if (named) return named;
  if (options_.team) return options_.team;
  if (!only_team_) only_team_ = find_only_team(engine_).name;
  return only_team_;
}

std::unique_ptr<TeamSession> SessionPool::open(const std::optional<std::string>& team, const std::string& member,
                                               Missing missing) const {
  std::shared_ptr<const FoundTeam> found;
  if (team) found = std::make_shared<const FoundTeam>(engine_.find_team(*team));
  Actor self = make_actor(member, options_.run, found ? &found->team : nullptr);
  return std::make_unique<TeamSession>(engine_, std::move(found), std::move(self), missing);
}

TeamSession& SessionPool::session(const std::optional<std::string>& team, const std::optional<std::string>& as,
                                  Missing missing) {
  constexpr std::size_t kMost = 256;
  const std::string member = choose_actor(options_.member, as ? as : options_.as);
  const auto name = choose_team(team);
  const std::tuple key(name.value_or(""), member, missing);
  const auto known = sessions_.find(key);
  if (known != sessions_.end() && is_usable(*known->second)) return *known->second;
  if (known != sessions_.end()) sessions_.erase(known);
  if (sessions_.size() >= kMost) sessions_.clear();
  try {
    return *(sessions_[key] = open(name, member, missing));
  } catch (const Error& error) {
    sessions_.erase(key);
    // The only team may have been removed, and another may be the only one now.
    const bool is_gone = error.code() == Code::not_found && std::exchange(only_team_, std::nullopt);
    if (!is_gone) throw;
  }
  return session(team, as, missing);
}

}  // namespace team
