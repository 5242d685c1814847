#include "libteam/agent/life/work_limits.h"

#include "libteam/base/terminal_text.h"
#include "libteam/record/prices.h"
#include "libteam/record/settings.h"
#include "libteam/store/spending.h"

namespace team {

// The budget of the team, then that of the member.
std::optional<BudgetEnd> WorkLimits::used_up() {
  const Team& team = life_.team();
  const Budget of_team = budget_of(team), own = life_.options().budget;
  if (!of_team.is_unlimited()) {
    if (auto end = find_end(of_team, spending_of_all(life_.presence().lives(), team))) {
      return BudgetEnd{"budget." + end->name, std::move(end->reason)};
    }
  }
  if (own.is_unlimited()) return std::nullopt;
  const Spending spent = spending_of(life_.presence().now(), setting(team, "model.prices"));
  auto end = find_end(own, spent);
  if (!end) return std::nullopt;
  return BudgetEnd{fmt::format("limits.{} of {}", end->name, life_.self().name), std::move(end->reason)};
}

std::optional<std::string> WorkLimits::over_budget() {
  const auto end = used_up();
  return end ? std::optional(end->reason) : std::nullopt;
}

std::optional<WorkLimits::Pause> WorkLimits::find_pause() {
  if (const auto end = used_up()) {
    if (budget_ != end->name) life_.persist([&] { ledger().enter_budget(end->name, end->reason); });
    budget_ = end->name;
    return Pause{end->reason, std::nullopt, true};
  }
  // Also the entry of an earlier run, or of a budget that another member met.
  for (const QuotaPause& entry : life_.session().mail().engine().quotas().all) {
    if (is_budget_of(entry.quota, life_.self().name)) life_.persist([&] { ledger().remove(entry.quota); });
  }
  budget_.reset();
  const std::string& quota = life_.options().quota;
  if (!quota.empty()) {
    if (const auto pause = ledger().pause_of(quota)) {
      return Pause{fmt::format("usage limit of {} {}: {}", quota, describe_end(*pause), pause->reason), pause->until,
                   false};
    }
  }
  if (loop_) return Pause{*loop_, std::nullopt, false};
  return std::nullopt;
}

void WorkLimits::count(const Outcome& outcome, double seconds) {
  life_.presence().add_work(seconds);
  if (is_nothing(outcome.used)) return;
  Usage used = outcome.used;
  if (used.usd <= 0 && outcome.used_model) {
    used.usd = cost_of(used, *outcome.used_model, setting(life_.team(), "model.prices")).value_or(0);
  }
  Usage all = parse_usage(life_.presence().now().usage);
  all += used;
  life_.audience().spend(all);
}

void WorkLimits::note(const Outcome& outcome, double seconds) {
  count(outcome, seconds);
  const std::string& quota = life_.options().quota;
  switch (outcome.kind) {
    case Outcome::Kind::limited:
      if (!quota.empty()) life_.persist([&] { ledger().enter(quota, {outcome.reason, outcome.until}); });
      break;
    case Outcome::Kind::looping: stop_loop(outcome.reason); break;
    case Outcome::Kind::done:
      // The limit is over: the next one is told again, and its back-off starts anew.
      if (!quota.empty() && ledger().has(quota)) life_.persist([&] { ledger().remove(quota); });
      break;
    default: break;
  }
}

void WorkLimits::stop_loop(const std::string& reason) {
  loop_ = reason;
  const std::string& name = life_.self().name;
  const std::string& lead = life_.team().lead;
  life_.session().mail().notify(
      name == lead ? "user" : lead, "error",
      fmt::format("[Paused] {} was stopped in a loop: {}; write to it to continue", name, one_line(reason)));
}

}  // namespace team
