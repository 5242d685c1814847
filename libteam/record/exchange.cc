#include "libteam/record/exchange.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libteam/record/json_fields.h"

namespace team {

Exchange& Exchanges::between(const std::string& from, const std::string& to) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Exchange& one) { return one.from == from && one.to == to; });
  if (found != all.end()) return *found;
  all.push_back({from, to, 0, false});
  return all.back();
}

bool Exchanges::forget(const std::string& member) {
  return std::erase_if(all, [&](const Exchange& one) { return one.from == member || one.to == member; }) > 0;
}

Exchanges parse_exchanges(std::string_view text, std::string_view file) {
  const Json json = parse_json(text, file);
  if (!json.is_array()) fail(Code::corrupt, "{}: not a JSON array", file);
  Exchanges exchanges;
  for (const Json& item : json) {
    Fields fields(item, text, file);
    Exchange one{fields.text("from").value_or(""), fields.text("to").value_or(""),
                 fields.integer("count", 0, INT64_MAX).value_or(0), false};
    one.told = item.contains("told") && item["told"] == true;
    exchanges.all.push_back(std::move(one));
  }
  return exchanges;
}

std::string to_file(const Exchanges& exchanges) {
  Json json = Json::array();
  for (const Exchange& one : exchanges.all) {
    json.push_back({{"from", one.from}, {"to", one.to}, {"count", one.count}, {"told", one.told}});
  }
  return dump_indented(json);
}

}  // namespace team
