#include "libteam/record/exchange.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libteam/record/json_fields.h"

namespace team {

Exchange::Step Exchange::count(const std::string& sender) {
  if (opener == sender) return Step::repeated;
  if (opener.empty()) {
    opener = sender;
    return Step::opened;
  }
  ++rounds;
  opener.clear();
  return Step::answered;
}

void Exchange::take_back(const std::string& sender, Step step) {
  if (step == Step::opened && opener == sender) opener.clear();
  if (step != Step::answered || rounds == 0) return;
  --rounds;
  if (opener.empty()) opener = sender == one ? other : one;
}

Exchange* Exchanges::find(const std::string& one, const std::string& other) {
  const auto& [first, second] = std::minmax(one, other);
  const auto found = std::find_if(all.begin(), all.end(), [&](const Exchange& exchange) {
    return exchange.one == first && exchange.other == second;
  });
  return found != all.end() ? &*found : nullptr;
}

Exchange& Exchanges::between(const std::string& one, const std::string& other, std::int64_t last) {
  if (Exchange* found = find(one, other)) return *found;
  all.push_back({.one = std::min(one, other), .other = std::max(one, other), .since = last});
  return all.back();
}

bool Exchanges::forget(const std::string& member) {
  return std::erase_if(all, [&](const Exchange& one) { return one.one == member || one.other == member; }) > 0;
}

Exchanges parse_exchanges(std::string_view text, std::string_view file) {
  const Json json = parse_json(text, file);
  if (!json.is_array()) fail(Code::corrupt, "{}: not a JSON array", file);
  Exchanges exchanges;
  for (const Json& item : json) {
    Fields fields(item, text, file);
    const auto between = fields.texts("between", "two names");
    if (!between) continue;
    if (between->size() != 2) fields.refuse("between", "two names");
    exchanges.all.push_back({.one = between->front(),
                             .other = between->back(),
                             .rounds = fields.integer("rounds", 0, INT64_MAX).value_or(0),
                             .opener = fields.text("opener").value_or(""),
                             .since = fields.integer("since", 0, INT64_MAX).value_or(0),
                             .told = fields.boolean("told").value_or(false)});
  }
  return exchanges;
}

std::string to_file(const Exchanges& exchanges) {
  Json json = Json::array();
  for (const Exchange& one : exchanges.all) {
    json.push_back({{"between", {one.one, one.other}},
                    {"rounds", one.rounds},
                    {"opener", one.opener},
                    {"since", one.since},
                    {"told", one.told}});
  }
  return dump_indented(json);
}

std::string describe(const Exchange& exchange) {
  return fmt::format("{} and {} sent {} round{} without progress", exchange.one, exchange.other, exchange.rounds,
                     exchange.rounds == 1 ? "" : "s");
}

}  // namespace team
