#include "libteam/record/task_metadata.h"

#include <nlohmann/json.hpp>
#include <unordered_map>

#include "libteam/base/error.h"
#include "libteam/base/own_json.h"

namespace team {

namespace {

// The limit leaves room for the levels above the value in the file.
Json json_or_text(const std::string& value) {
  constexpr JsonLimits kLimits{.depth = 32};
  try {
    return parse_json(value, "metadata", kLimits);
  } catch (const Error&) {
    return value;
  }
}

}  // namespace

void set_all_metadata(Task& task, const std::vector<std::pair<std::string, std::optional<std::string>>>& values) {
  if (values.empty()) return;
  // The last value of a key counts. A search in the object for each key would compare it with all others.
  std::unordered_map<std::string, const std::optional<std::string>*> last;
  for (const auto& [key, value] : values) last[key] = &value;
  Json changed = Json::object();
  auto& members = changed.get_ref<Json::object_t&>();
  const auto put = [&](const std::string& key, const std::optional<std::string>& value) {
    if (value) members.emplace_back(key, json_or_text(*value));
  };
  const Json before = parse_own(task.metadata);
  for (const auto& [key, value] : before.get_ref<const Json::object_t&>()) {
    const auto found = last.find(key);
    if (found == last.end()) {
      members.emplace_back(key, value);
    } else {
      put(key, *found->second);
      last.erase(found);
    }
  }
  for (const auto& [key, value] : values) {
    const auto found = last.find(key);
    if (found == last.end()) continue;
    put(key, *found->second);
    last.erase(found);
  }
  task.metadata = dump_line(changed);
}

void set_metadata(Task& task, const std::string& key, const std::optional<std::string>& value) {
  set_all_metadata(task, {{key, value}});
}

}  // namespace team
