#include "libteam/store/team_names.h"

#include "libteam/base/error.h"
#include "libteam/base/name.h"
#include "libteam/base/spelling.h"
#include "libteam/base/text.h"

namespace team {

void fail_unknown_team(const std::string& name, const std::vector<std::string>& known) {
  std::string hint = did_you_mean(name, known);
  if (hint.empty() && !known.empty()) hint = "; there is " + join(known, ", ");
  fail(Code::not_found, "no team '{}'{}", name, hint);
}

void check_team_names(const Team& team) {
  check_new_name("team", team.name);
  if (team.lead != "lead") check_new_name("lead", team.lead);
}

void check_team_is_new(const std::string& name, const std::vector<std::string>& known) {
  for (const std::string& other : known) {
    if (same_name(other, name)) fail(Code::conflict, "team {} exists already", other);
  }
}

}  // namespace team
