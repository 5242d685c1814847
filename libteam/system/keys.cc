#include "libteam/system/keys.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "libteam/base/secrets.h"

namespace team {

namespace {

void add(Keys& keys, std::string_view entry) {
  const std::size_t equals = entry.find('=');
  if (equals == std::string_view::npos || !is_secret(entry.substr(0, equals))) return;
  keys.emplace_back(std::string(entry.substr(0, equals)), std::string(entry.substr(equals + 1)));
}

}  // namespace

Keys keys_in_environment() {
  Keys keys;
  for (char** entry = ::environ; *entry != nullptr; ++entry) add(keys, *entry);
  return keys;
}

Keys put_keys_away() {
  Keys keys;
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    const std::size_t before = keys.size();
    add(keys, *entry);
    char* value = std::strchr(*entry, '=');
    if (keys.size() > before) std::memset(value + 1, 'x', std::strlen(value + 1));
  }
  for (const auto& [name, value] : keys) ::unsetenv(name.c_str());
  return keys;
}

std::string key_of(const Keys& keys, const std::string& variable) {
  for (const auto& [name, value] : keys) {
    if (name == variable) return value.value_or("");
  }
  return "";
}

Variables clean_environment(std::vector<std::string> names) {
  for (const char* name : {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TZ", "TERM", "TMPDIR",
                           "TEAM_DURABILITY", "TEAM_NOTIFY", "TEAM_HOOK"}) {
    names.emplace_back(name);
  }
  return only(names);
}

}  // namespace team
