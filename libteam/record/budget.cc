#include "libteam/record/budget.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>

#include "libteam/base/error.h"
#include "libteam/base/number.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/time_text.h"
#include "libteam/record/settings.h"

namespace team {

namespace {

std::optional<double> parse_amount(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole && std::isfinite(value) && value > 0 && value < 1e15 ? std::optional(value) : std::nullopt;
}

std::string_view trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

bool remove_end(std::string_view& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.remove_suffix(end.size());
  text = trim(text);
  return true;
}

std::optional<std::int64_t> parse_tokens(std::string_view text) {
  if (const auto whole = parse_integer(text)) return *whole > 0 ? whole : std::nullopt;
  double unit = 0;
  if (text.ends_with('k')) unit = 1e3;
  if (text.ends_with('M')) unit = 1e6;
  if (unit == 0) return std::nullopt;
  const auto amount = parse_amount(text.substr(0, text.size() - 1));
  return amount ? std::optional(static_cast<std::int64_t>(std::llround(*amount * unit))) : std::nullopt;
}

std::optional<double> positive(const Team& team, std::string_view key) {
  const double value = number_setting(team, key);
  return value > 0 ? std::optional(value) : std::nullopt;
}

}  // namespace

Budget parse_budget(std::string_view text) {
  std::string_view rest = trim(text);
  const bool is_money = remove_end(rest, "USD") || remove_end(rest, "usd") || rest.starts_with('$');
  if (rest.starts_with('$')) rest.remove_prefix(1);
  Budget budget;
  if (is_money) {
    budget.usd = parse_amount(trim(rest));
  } else if (remove_end(rest, "tokens")) {
    budget.tokens = parse_tokens(rest);
  } else {
    budget.tokens = parse_tokens(rest);
    // A number alone counts tokens, as ever.
    if (!budget.tokens && !rest.empty() && (rest.back() == 's' || rest.back() == 'm' || rest.back() == 'h')) {
      budget.seconds = parse_seconds(rest);
    }
  }
  const bool is_nothing = budget.is_unlimited() || budget.seconds == 0.0;
  if (is_nothing) {
    fail(Code::usage, "a budget is tokens (100000, 100k tokens), dollars (2 USD) or time (1h), not '{}'",
         one_line(text));
  }
  return budget;
}

Budget budget_from(const std::optional<std::string>& text) {
  return text ? parse_budget(std::string_view(*text)) : Budget{};
}

Budget budget_of(const Team& team) {
  Budget budget;
  if (const auto tokens = positive(team, "budget.tokens")) budget.tokens = static_cast<std::int64_t>(*tokens);
  budget.usd = positive(team, "budget.usd");
  budget.seconds = positive(team, "budget.time");
  return budget;
}

void set_budget(Team& team, const Budget& budget) {
  if (budget.tokens) set_setting(team, "budget.tokens", std::to_string(*budget.tokens));
  if (budget.usd) set_setting(team, "budget.usd", fmt::format("{:.9f}", *budget.usd));
  if (budget.seconds) set_setting(team, "budget.time", fmt::format("{}", *budget.seconds));
}

std::optional<BudgetEnd> find_end(const Budget& budget, const Spending& spent) {
  const std::int64_t tokens = total(spent.usage);
  if (budget.tokens && tokens >= *budget.tokens) {
    return BudgetEnd{"tokens", fmt::format("the budget of {} tokens is used up ({})", *budget.tokens, tokens)};
  }
  if (budget.usd && spent.usd >= *budget.usd) {
    return BudgetEnd{"usd", fmt::format("the budget of {} USD is used up ({:.4f})", *budget.usd, spent.usd)};
  }
  if (budget.seconds && spent.seconds >= *budget.seconds) {
    return BudgetEnd{"time", fmt::format("the budget of {} of work is used up ({})", describe_seconds(*budget.seconds),
                                         describe_seconds(spent.seconds))};
  }
  return std::nullopt;
}

}  // namespace team
