#include "libteam/store/team_session.h"

#include "libteam/base/environment_variable.h"
#include "libteam/system/process.h"

namespace team {

TeamSession::Parts::Parts(const Engine& engine, Team given, Missing missing)
    : team(std::move(given)), board(engine.open_board(&team, missing)), mail(engine.open_team(team), team) {}

TeamSession::TeamSession(const Engine& engine, std::string team, Actor self)
    : engine_(engine), name_(std::move(team)), self_(std::move(self)) {
  refresh();
}

void TeamSession::refresh() {
  const std::string version = engine_.version_of(name_);
  if (parts_) has_board_ = parts_->board.is_in_place() || engine_.has_board(team());
  if (!has_board_) return;
  if (parts_ && version == version_ && parts_->board.is_in_place()) return;
  const Missing missing = parts_ ? Missing::refuse : Missing::make;
  parts_ = std::make_shared<Parts>(engine_, engine_.get(name_), missing);
  version_ = version;
  const Member* member = team().find(self_.name);
  if (member != nullptr) self_.role = member->role;
  self_.leads = self_.name == team().lead || self_.name == "user";
}

bool TeamSession::is_current() const {
  try {
    return engine_.version_of(name_) == version_ && parts_->board.is_in_place();
  } catch (const Error&) {
    return false;
  }
}

std::vector<std::pair<std::string, std::optional<std::string>>> TeamSession::environment() const {
  const std::string path = environment_variable("PATH").value_or("/usr/bin:/bin");
  return {{"TEAM_ROOT", engine_.place()},   {"TEAM_NAME", team().name},          {"TEAM_MEMBER", self_.name},
          {"TEAM_RUN_ID", self_.run},       {"PATH", own_folder() + ":" + path}, {"TEAM_DETACHED", std::nullopt},
          {"TEAM_START_MODE", std::nullopt}};
}

std::unique_ptr<Watcher> TeamSession::watch_team() const {
  auto watcher = engine_.make_watcher();
  watcher->begin(board());
  watcher->watch_team();
  return watcher;
}

std::vector<Member> TeamSession::running() const {
  const auto lives = this->lives();
  std::vector<Member> running;
  for (const Member& member : team().members) {
    if (member.name != team().lead && lives->life_of(member.name) == Life::running) running.push_back(member);
  }
  return running;
}

}  // namespace team
