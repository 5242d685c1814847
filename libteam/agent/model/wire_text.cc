#include "libteam/agent/model/wire_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace team {

std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lowered;
}

std::int64_t count_of(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  constexpr std::int64_t kMost = 1'000'000'000'000;  // of one answer; sums must not overflow
  if (found == object.end() || !found->is_number_integer()) return 0;
  return std::clamp<std::int64_t>(found->get<std::int64_t>(), 0, kMost);
}

std::string text_of(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace team
