// Why a teammate must not work now: the usage limit of its quota, a budget that is used up, or a loop that was stopped.
//
// It holds for every driver: WorkRunner asks before each piece of work and reports each outcome. A pause for a quota
// ends at its time, or when the quota leaves the ledger. A pause for a budget ends when the budget is raised. A pause
// after a loop ends with the next message.
#pragma once

#include <optional>
#include <string>

#include "libteam/agent/life/driver.h"
#include "libteam/agent/life/member_life.h"
#include "libteam/record/budget.h"
#include "libteam/store/quota_ledger.h"

namespace team {

class WorkLimits {
 public:
  // `life` outlives this.
  explicit WorkLimits(MemberLife& life) : life_(life) {}

  struct Pause {
    std::string reason;
    std::optional<double> until;  // Unix seconds
    bool is_final = false;        // only a person ends it
  };
  // None if the member may work. Looks at the ledger and the budgets as they are now.
  std::optional<Pause> find_pause();

  // The reason, if a budget of the team or of this member is used up. Cheap: it is asked before each call of a model.
  std::optional<std::string> over_budget();

  // After each piece of work: counts what it used, enters limits into the ledger and tells whom it concerns.
  void note(const Outcome& outcome, double seconds);
  // A message came: a stopped loop may go on.
  void forgive() { loop_.reset(); }

 private:
  QuotaLedger ledger() const { return {life_.session().mail(), life_.self()}; }
  std::optional<BudgetEnd> used_up();
  void count(const Outcome& outcome, double seconds);
  void stop_loop(const std::string& reason);

  MemberLife& life_;
  std::optional<std::string> loop_;    // why the last work was stopped
  std::optional<std::string> budget_;  // the entry of this member in the ledger
};

}  // namespace team
