#include "libteam/store/quota_ledger.h"

#include "libteam/base/clock.h"
#include "libteam/base/json_text.h"
#include "libteam/base/spelling.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/time_text.h"
#include "libteam/record/actor.h"

namespace team {

namespace {

constexpr double kDay = 86'400;

std::string notice_of(const QuotaPause& pause) {
  if (is_budget(pause.quota)) {
    return fmt::format("[Paused] {}; work stops until you raise it ({})", pause.reason, pause.quota);
  }
  return fmt::format(
      "[Paused] {} reached the usage limit of {}: {}. All members with this quota pause {}; team-quota --clear {} ends "
      "the pause",
      pause.by, pause.quota, pause.reason, describe_end(pause), pause.quota);
}

Event event_of(const char* type, const QuotaPause& pause) {
  JsonText details;
  details.add("quota", pause.quota);
  details.add("until", pause.until > 0 ? std::optional(pause.until) : std::nullopt);
  details.add("reason", pause.reason);
  details.add("by", pause.by);
  return {type, details.take()};
}

}  // namespace

std::string describe_end(const QuotaPause& pause) {
  if (pause.until == 0) return "until somebody raises it";
  const bool is_soon = pause.until - now() < kDay;
  return "until " + (is_soon ? clock_time(pause.until) : date_and_time(pause.until));
}

// `edit` makes the entry, and returns true if the user is to be told.
void QuotaLedger::put(const QuotaPause& entered, const std::function<bool(Quotas&)>& edit) const {
  std::function<void()> record_notice;
  std::optional<QuotaPause> changed;
  mail_.engine().transact([&](TeamTransaction& team) {
    Quotas quotas = team.quotas();
    const std::string before = to_file(quotas);
    const bool is_news = edit(quotas);
    if (to_file(quotas) == before) return;
    changed = *quotas.find(entered.quota);
    if (is_news) record_notice = mail_.put_notice("user", "error", notice_of(*changed));
    try {
      team.put(quotas);
    } catch (const Error& error) {
      if (!record_notice) throw;
      fail(Code::unknown, "the user was told, but {}", error.what());
    }
  });
  if (!changed) return;
  after_change([&] {
    if (record_notice) record_notice();
    mail_.record(actor_, {event_of("QUOTA_PAUSED", *changed)});
  });
}

void QuotaLedger::enter(const std::string& quota, const UsageLimit& limit) const {
  QuotaPause pause;
  pause.quota = quota;
  put(pause, [&](Quotas& quotas) { return quotas.enter(quota, limit, actor_.name, now()); });
}

void QuotaLedger::enter_budget(const std::string& budget, const std::string& reason) const {
  QuotaPause pause;
  pause.quota = budget;
  put(pause, [&](Quotas& quotas) { return quotas.enter_budget(budget, reason, actor_.name, now()); });
}

bool QuotaLedger::remove(const std::string& quota) const {
  if (!mail_.engine().has_quotas()) return false;
  std::optional<QuotaPause> removed;
  mail_.engine().transact([&](TeamTransaction& team) {
    Quotas quotas = team.quotas();
    const QuotaPause* found = quotas.find(quota);
    if (found == nullptr) return;
    removed = *found;
    quotas.remove(quota);
    team.put(quotas);
  });
  if (removed) after_change([&] { mail_.record(actor_, {event_of("QUOTA_RESUMED", *removed)}); });
  return removed.has_value();
}

void QuotaLedger::end(const std::string& quota) const {
  require_lead(actor_, "end the pause of a quota");
  if (is_budget(quota)) fail(Code::invalid_state, "{} is a limit: raise it with team-config or in the role", quota);
  if (remove(quota)) return;
  std::vector<std::string> known;
  for (const QuotaPause& pause : mail_.engine().quotas().all) known.push_back(pause.quota);
  fail(Code::not_found, "no quota '{}' is paused{}", one_line(quota), did_you_mean(quota, known));
}

void QuotaLedger::begin(const std::string& quota, double seconds, const std::optional<std::string>& reason) const {
  require_lead(actor_, "pause a quota");
  if (quota.empty() || is_budget(quota)) fail(Code::usage, "'{}' is not the name of a quota", one_line(quota));
  enter(quota, {reason.value_or("paused by " + actor_.name), now() + seconds});
}

std::optional<QuotaPause> QuotaLedger::pause_of(const std::string& quota) const {
  const Quotas quotas = mail_.engine().quotas();
  const QuotaPause* found = quotas.find(quota);
  return found != nullptr && is_in_force(*found, now()) ? std::optional(*found) : std::nullopt;
}

bool QuotaLedger::has(const std::string& quota) const {
  return mail_.engine().has_quotas() && mail_.engine().quotas().find(quota) != nullptr;
}

std::vector<QuotaPause> pauses_in_force(const TeamEngine& engine) {
  Quotas quotas = engine.quotas();
  std::erase_if(quotas.all, [&](const QuotaPause& pause) { return !is_in_force(pause, now()); });
  return std::move(quotas.all);
}

}  // namespace team
