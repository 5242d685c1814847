#include "libteam/agent/workplace.h"

namespace team {

Workplace::Parts::Parts(const Root& root, Team given, double lock_timeout)
    : team(std::move(given)),
      board(open_board(root, &team, lock_timeout, Missing::make)),
      mail(root, team, lock_timeout) {}

Workplace::Workplace(const Root& root, std::string team, Actor self, double lock_timeout)
    : root_(root),
      name_(std::move(team)),
      self_(std::move(self)),
      lock_timeout_(lock_timeout),
      roster_(root, lock_timeout) {
  refresh();
}

void Workplace::refresh() {
  const Stamp version = roster_.version_of(name_);
  if (parts_ && version == version_) return;
  parts_ = std::make_unique<Parts>(root_, roster_.get(name_), lock_timeout_);
  version_ = version;
  const Member* member = team().find(self_.name);
  if (member != nullptr) self_.role = member->role;
  self_.leads = self_.name == team().lead || self_.name == "user";
}

std::vector<Member> Workplace::running() const {
  const auto life_of = roster_.lives(team().name);
  std::vector<Member> running;
  for (const Member& member : team().members) {
    if (member.name != team().lead && life_of(member.name) == Life::running) running.push_back(member);
  }
  return running;
}

}  // namespace team
