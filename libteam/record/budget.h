// Budgets: how much a team or a member may use in all its runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libteam/record/team.h"
#include "libteam/record/usage.h"

namespace team {

struct Budget {
  std::optional<std::int64_t> tokens;
  std::optional<double> usd;
  std::optional<double> seconds;  // of work, added up over members

  bool is_unlimited() const { return !tokens && !usd && !seconds; }
};

// The usage so far.
struct Spending {
  Usage usage;
  double usd = 0;             // as far as prices are known
  bool is_cost_known = true;  // false if tokens were used whose price is unknown
  double seconds = 0;
};

// Parses the value of --budget: "100000" and "100k tokens", "2 USD" and "$2", "1h". Throws usage.
Budget parse_budget(std::string_view text);
// The same; without a value there is no limit.
Budget budget_from(const std::optional<std::string>& text);
// The settings budget.tokens, budget.usd and budget.time; 0 is no limit.
Budget budget_of(const Team& team);
// Stores a budget in these settings.
void set_budget(Team& team, const Budget& budget);

// A budget that is used up.
struct BudgetEnd {
  std::string name;    // tokens, usd or time
  std::string reason;  // "the budget of 100000 tokens is used up (100220)"
};
std::optional<BudgetEnd> find_end(const Budget& budget, const Spending& spent);

}  // namespace team
