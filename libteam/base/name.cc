#include "libteam/base/name.h"

#include <algorithm>

#include "libteam/base/text.h"

namespace team {

namespace {

bool is_alphanumeric(char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool is_name(std::string_view text) {
  constexpr std::size_t kLongest = 64;
  if (text.empty() || text.size() > kLongest || !is_alphanumeric(text[0])) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return is_alphanumeric(c) || c == '_' || c == '-'; });
}

bool same_name(std::string_view one, std::string_view other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

bool is_inner_path(std::string_view path) {
  const auto parts = split(path, '/');
  return !parts.front().empty() && std::find(parts.begin(), parts.end(), "..") == parts.end();
}

}  // namespace team
