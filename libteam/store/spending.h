// The usage of the members of a team in all their runs, as their states report it. Takes no lock.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "libteam/record/budget.h"
#include "libteam/record/member_state.h"
#include "libteam/record/team.h"
#include "libteam/store/life.h"
#include "libteam/store/team_session.h"

namespace team {

// The usage of one member. `prices` is the setting model.prices.
Spending spending_of(const MemberState& state, std::string_view prices);
// The sum of all members. A state that cannot be read counts as nothing used.
Spending spending_of_all(const LifeEngine& lives, const Team& team);

// One line for people: "used 12.3k tokens, $0.0400 (lead 8.00k, bob 4.30k)". None if nothing was used.
std::optional<std::string> describe_spending(const TeamSession& session);

}  // namespace team
