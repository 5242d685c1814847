#include "libteam/store/team_choice.h"

#include "libteam/base/text.h"

namespace team {

namespace {

bool is_made_by_agent(const Engine& engine, const std::string& team) {
  try {
    return engine.get(team).created_by.has_value();
  } catch (const Error&) {
    return false;  // a broken configuration is reported to the callers that choose this team
  }
}

}  // namespace

void fail_without_team(const Engine& engine) {
  fail(Code::not_found, "no team in '{}'; team-create makes one", engine.place());
}

OnlyTeam find_only_team(const Engine& engine) {
  auto names = engine.names();
  const std::string all = join(names, ", ");
  OnlyTeam only{std::nullopt, "the only team"};
  if (names.size() > 1) {
    std::erase_if(names, [&](const std::string& name) { return is_made_by_agent(engine, name); });
    only.rule = "the only team that no agent made";
  }
  if (names.size() != 1 && !all.empty()) fail(Code::usage, "which team? there is {} (-t TEAM)", all);
  if (!names.empty()) only.name = names.front();
  return only;
}

}  // namespace team
