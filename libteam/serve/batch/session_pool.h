// The sessions of one process that makes many calls, by team and member: a session is opened once and used again.
//
// A session whose team changed is refreshed before its next use, so every call sees the present members and settings.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "libteam/store/engine.h"
#include "libteam/store/team_session.h"

namespace team {

struct PoolOptions {
  std::optional<std::string> team;    // -t or TEAM_NAME
  std::optional<std::string> as;      // --as
  std::optional<std::string> member;  // TEAM_MEMBER, which may act only as itself
  std::optional<std::string> run;     // TEAM_RUN_ID
};

class SessionPool {
 public:
  // `engine` outlives this.
  SessionPool(const Engine& engine, PoolOptions options) : engine_(engine), options_(std::move(options)) {}

  // The session of `as` (else that of the options) in `team` (else that of the options, else the only one; without any,
  // on the default board). `missing` is for a board that was removed. Good until the next call. Throws not_found,
  // permission_denied, usage.
  TeamSession& session(const std::optional<std::string>& team, const std::optional<std::string>& as, Missing missing);
  const Engine& engine() const { return engine_; }

 private:
  std::optional<std::string> choose_team(const std::optional<std::string>& named);
  std::unique_ptr<TeamSession> open(const std::optional<std::string>& team, const std::string& member,
                                    Missing missing) const;

  const Engine& engine_;
  PoolOptions options_;
  std::optional<std::string> only_team_;
  std::map<std::tuple<std::string, std::string, Missing>, std::unique_ptr<TeamSession>> sessions_;
};

}  // namespace team
