#include "libteam/record/prices.h"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "libteam/base/terminal_text.h"
#include "libteam/record/json_fields.h"

namespace team {

namespace {

constexpr std::string_view kSubject = "setting model.prices";

// Dollars per million tokens.
struct Price {
  double input = 0, output = 0, cache_read = 0, cache_written = 0;
};

struct Known {
  std::string_view prefix;
  Price price;
};

constexpr std::array<Known, 14> kKnown = {{
    {"claude-opus-4-0", {15, 75, 1.5, 18.75}},
    {"claude-opus-4-1", {15, 75, 1.5, 18.75}},
    {"claude-opus-4-2", {15, 75, 1.5, 18.75}},  // by its date, claude-opus-4-20250514
    {"claude-opus-4", {5, 25, 0.5, 6.25}},
    {"claude-sonnet-4", {3, 15, 0.3, 3.75}},
    {"claude-3-7-sonnet", {3, 15, 0.3, 3.75}},
    {"claude-haiku-4-5", {1, 5, 0.1, 1.25}},
    {"claude-3-5-haiku", {0.8, 4, 0.08, 1}},
    {"gpt-4o", {2.5, 10, 1.25, 2.5}},
    {"gpt-4o-mini", {0.15, 0.6, 0.075, 0.15}},
    {"gpt-4.1", {2, 8, 0.5, 2}},
    {"gpt-4.1-mini", {0.4, 1.6, 0.1, 0.4}},
    {"gpt-5", {1.25, 10, 0.125, 1.25}},
    {"gpt-5-mini", {0.25, 2, 0.025, 0.25}},
}};

Price parse_price(const std::string& prefix, const Json& json) {
  const auto refuse = [&]() {
    fail(Code::corrupt, "{}: '{}' must be 2 to 4 prices in dollars per million tokens", kSubject, one_line(prefix));
  };
  if (!json.is_array() || json.size() < 2 || json.size() > 4) refuse();
  for (const Json& one : json) {
    if (!one.is_number() || !std::isfinite(one.get<double>()) || one.get<double>() < 0) refuse();
  }
  const auto dollars = [&](std::size_t i) { return json[i < json.size() ? i : 0].get<double>(); };
  return {dollars(0), dollars(1), dollars(2), dollars(3)};
}

Json parse_table(std::string_view text) {
  Json table = parse_json(text, kSubject);
  if (!table.is_object()) fail(Code::corrupt, "{}: not a JSON object", kSubject);
  for (const auto& item : table.items()) parse_price(item.key(), item.value());
  return table;
}

// The price of the longest prefix so far.
struct Best {
  std::string_view model;
  std::optional<Price> price;
  std::size_t length = 0;

  void offer(std::string_view prefix, const Price& other) {
    if (!model.starts_with(prefix) || (price && prefix.size() <= length)) return;
    price = other;
    length = prefix.size();
  }
};

std::optional<Price> price_of(std::string_view model, std::string_view overrides) {
  Best best{model, {}, 0};
  const Json table = parse_table(overrides);
  for (const auto& item : table.items()) best.offer(item.key(), parse_price(item.key(), item.value()));
  if (best.price) return best.price;
  for (const Known& known : kKnown) best.offer(known.prefix, known.price);
  return best.price;
}

}  // namespace

std::optional<double> cost_of(const Usage& usage, std::string_view model, std::string_view overrides) {
  const auto price = price_of(model, overrides);
  if (!price) return std::nullopt;
  const auto cost = [](std::int64_t tokens, double dollars) { return static_cast<double>(tokens) * dollars; };
  constexpr double kMillion = 1e6;
  return (cost(usage.input, price->input) + cost(usage.output, price->output) +
          cost(usage.cache_read, price->cache_read) + cost(usage.cache_written, price->cache_written)) /
         kMillion;
}

std::optional<double> full_cost_of(const Usage& usage, const std::optional<std::string>& model,
                                   std::string_view overrides) {
  if (!model) return usage.usd > 0 ? std::optional(usage.usd) : std::nullopt;
  const auto cost = cost_of(usage, *model, overrides);
  return cost ? std::optional(*cost + usage.usd) : std::nullopt;
}

std::optional<std::string> tidy_prices(std::string_view text) {
  try {
    return dump_line(parse_table(text));
  } catch (const Error& error) {
    if (error.code() != Code::corrupt) throw;
    return std::nullopt;
  }
}

}  // namespace team
