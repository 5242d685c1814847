#include "libteam/store/spending.h"

#include "libteam/base/error.h"
#include "libteam/base/text.h"
#include "libteam/record/prices.h"
#include "libteam/record/settings.h"

namespace team {

Spending spending_of(const MemberState& state, std::string_view prices) {
  Spending spent;
  spent.usage = parse_usage(state.usage);
  spent.seconds = state.worked;
  const auto cost = full_cost_of(spent.usage, state.model, prices);
  spent.usd = cost.value_or(0);
  spent.is_cost_known = cost || is_nothing(spent.usage);
  return spent;
}

namespace {

// A state that cannot be read counts as none.
std::optional<Spending> find_spending(const LifeEngine& lives, const std::string& member, std::string_view prices) {
  try {
    const auto state = lives.state_of(member);
    return state ? std::optional(spending_of(*state, prices)) : std::nullopt;
  } catch (const Error& error) {
    if (error.code() != Code::corrupt && error.code() != Code::permission_denied) throw;
    return std::nullopt;
  }
}

}  // namespace

Spending spending_of_all(const LifeEngine& lives, const Team& team) {
  const std::string prices = setting(team, "model.prices");
  Spending sum;
  for (const Member& member : team.members) {
    const auto one = find_spending(lives, member.name, prices);
    if (!one) continue;
    sum.usage += one->usage;
    sum.usd += one->usd;
    sum.seconds += one->seconds;
    sum.is_cost_known = sum.is_cost_known && one->is_cost_known;
  }
  return sum;
}

std::optional<std::string> describe_spending(const TeamSession& session) {
  const auto kept = session.lives();
  const LifeEngine& lives = *kept;
  const Team team = session.engine().get(session.team().name);
  const Spending all = spending_of_all(lives, team);
  if (is_nothing(all.usage)) return std::nullopt;
  const auto amount = [](const Spending& spent) {
    const std::string tokens = describe_count(total(spent.usage));
    return spent.usd > 0 ? fmt::format("{}, ${:.4f}", tokens, spent.usd) : tokens;
  };
  std::vector<std::string> members;
  for (const Member& member : team.members) {
    const auto one = find_spending(lives, member.name, setting(team, "model.prices"));
    if (one && !is_nothing(one->usage)) members.push_back(fmt::format("{} {}", member.name, amount(*one)));
  }
  const std::string unknown = all.is_cost_known ? "" : ", not all prices are known";
  return fmt::format("used {} tokens{}{} ({})", describe_count(total(all.usage)),
                     all.usd > 0 ? fmt::format(", ${:.4f}", all.usd) : "", unknown, join(members, "; "));
}

}  // namespace team
