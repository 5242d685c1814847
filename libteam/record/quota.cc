#include "libteam/record/quota.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/record/json_fields.h"

namespace team {

namespace {

constexpr double kFirstPause = 60, kLongestPause = 900;
constexpr std::string_view kBudget = "budget.";
constexpr std::string_view kLimits = "limits.";

double pause_after(std::int64_t times) {
  const auto doublings = static_cast<int>(std::min<std::int64_t>(times - 1, 10));
  return std::min(kLongestPause, std::ldexp(kFirstPause, doublings));
}

Json to_json(const QuotaPause& pause) {
  return {{"quota", pause.quota},   {"since", pause.since}, {"until", pause.until > 0 ? Json(pause.until) : Json()},
          {"reason", pause.reason}, {"by", pause.by},       {"times", pause.times}};
}

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  return std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  });
}

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

const QuotaPause* Quotas::find(std::string_view quota) const {
  const auto found = std::find_if(all.begin(), all.end(), [&](const QuotaPause& one) { return one.quota == quota; });
  return found == all.end() ? nullptr : &*found;
}

bool Quotas::remove(std::string_view quota) {
  return std::erase_if(all, [&](const QuotaPause& one) { return one.quota == quota; }) > 0;
}

bool Quotas::enter(const std::string& quota, const UsageLimit& limit, const std::string& by, double now) {
  const QuotaPause* before = find(quota);
  const bool is_new = before == nullptr;
  QuotaPause pause = is_new ? QuotaPause{quota, now, 0, "", by, 0} : *before;
  const bool holds = !is_new && is_in_force(pause, now);
  if (limit.until) {
    if (holds && pause.until >= *limit.until) return false;
    pause.until = *limit.until;
    pause.times = 0;
  } else {
    if (holds) return false;
    pause.until = now + pause_after(++pause.times);
  }
  if (!holds) pause.since = now;
  pause.reason = limit.reason;
  pause.by = by;
  remove(quota);
  all.push_back(std::move(pause));
  return is_new;
}

bool Quotas::enter_budget(const std::string& budget, const std::string& reason, const std::string& by, double now) {
  if (find(budget) != nullptr) return false;
  all.push_back({budget, now, 0, reason, by, 0});
  return true;
}

Quotas parse_quotas(std::string_view text, std::string_view file) {
  Quotas quotas;
  std::size_t number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    if (line.empty()) continue;
    const std::string place = fmt::format("{}:{}", file, number);
    const Json json = parse_json(line, place);
    Fields fields(json, line, place);
    QuotaPause pause;
    pause.quota = fields.text("quota").value_or("");
    if (pause.quota.empty()) fields.refuse("quota", "the name of a quota");
    pause.since = fields.number("since").value_or(0);
    pause.until = std::max(0.0, fields.number("until").value_or(0));
    pause.reason = fields.text("reason").value_or("");
    pause.by = fields.text("by").value_or("");
    pause.times = fields.integer("times", 0, INT64_MAX).value_or(1);
    quotas.remove(pause.quota);
    quotas.all.push_back(std::move(pause));
  }
  return quotas;
}

std::string to_line(const QuotaPause& pause) { return dump_line(to_json(pause)); }

std::string to_file(const Quotas& quotas) {
  std::string text;
  for (const QuotaPause& pause : quotas.all) text += to_line(pause) + "\n";
  return text;
}

bool is_budget(std::string_view quota) { return quota.starts_with(kBudget) || quota.starts_with(kLimits); }

bool is_budget_of(std::string_view quota, std::string_view member) {
  return quota.starts_with(kBudget) || (quota.starts_with(kLimits) && quota.ends_with(fmt::format(" of {}", member)));
}

std::string program_of(std::string_view command) {
  constexpr std::array<std::string_view, 7> kWrappers = {"env", "exec", "command", "nohup", "nice", "time", "timeout"};
  // Commands before the last && or ; only prepare the work, as `cd src &&` does.
  std::string_view last = command;
  for (const std::string_view separator : {"&&", ";"}) {
    for (std::size_t at = 0; (at = last.find(separator)) != std::string_view::npos;) {
      const std::string_view first = last.substr(0, at);
      if (first.substr(std::min(first.find_first_not_of(' '), first.size())).starts_with("cd ")) {
        last.remove_prefix(at + separator.size());
      } else {
        break;
      }
    }
  }
  bool is_wrapped = false;
  for (const std::string& part : split(last, ' ')) {
    const std::string_view word = part;
    if (word.empty() || is_assignment(word)) continue;
    const std::string_view name = base_name(word);
    const bool is_wrapper = std::find(kWrappers.begin(), kWrappers.end(), name) != kWrappers.end();
    const bool is_argument = is_wrapped && (word.front() == '-' || (word.front() >= '0' && word.front() <= '9'));
    is_wrapped = is_wrapped || is_wrapper;
    if (is_wrapper || is_argument) continue;
    return one_line(name);
  }
  return one_line(command);
}

}  // namespace team
