// The ledger of a team: quotas whose usage limit was reached, and budgets that are used up.
//
// Members with the same quota pause together. The name of a quota is set by the role. By default it is the program or
// the model service. A budget stands in the ledger under the name of its setting, so that the user is told about it
// only once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/record/usage_limit.h"

namespace team {

struct QuotaPause {
  std::string quota;
  double since = 0;
  double until = 0;  // Unix seconds; 0: no time ends it
  std::string reason;
  std::string by;          // the member that reached it
  std::int64_t times = 1;  // how often in a row it was reached without a known reset time
};

// A pause that has ended stays in the ledger until a member with this quota succeeds: its count makes the next one
// longer.
inline bool is_in_force(const QuotaPause& pause, double now) { return pause.until == 0 || pause.until > now; }

struct Quotas {
  std::vector<QuotaPause> all;  // at most one of each quota

  const QuotaPause* find(std::string_view quota) const;
  // Returns false if there is none.
  bool remove(std::string_view quota);
  // Enters a usage limit. Without a reset time the pause takes 1 minute, and twice as long each time in a row, up to 15
  // minutes. Reports of other members about the same pause do not prolong it, unless they know a later reset time.
  // Returns true if the quota was not in the ledger: then the user is to be told.
  bool enter(const std::string& quota, const UsageLimit& limit, const std::string& by, double now);
  // Enters a budget that is used up; returns the same.
  bool enter_budget(const std::string& budget, const std::string& reason, const std::string& by, double now);
};

// One object on each line. Throws corrupt.
Quotas parse_quotas(std::string_view text, std::string_view file);
std::string to_file(const Quotas& quotas);
std::string to_line(const QuotaPause& pause);

// True for the name of a budget, such as budget.usd, which the end of a pause does not lift.
bool is_budget(std::string_view quota);
// True for the name of a budget that keeps this member from working: that of the team, or its own.
bool is_budget_of(std::string_view quota, std::string_view member);

// The program that a command of the shell runs: "claude" of "cd src && FOO=1 /usr/bin/claude -p". The whole command if
// it has none.
std::string program_of(std::string_view command);

}  // namespace team
