#include "libteam/agent/keys.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "libteam/base/text.h"
#include "libteam/system/id.h"

namespace team {

namespace {

constexpr const char* kVariable = "TEAM_KEYS";

void add(Keys& keys, std::string_view entry) {
  const std::size_t equals = entry.find('=');
  if (equals == std::string_view::npos || !is_secret(entry.substr(0, equals))) return;
  keys.emplace_back(std::string(entry.substr(0, equals)), std::string(entry.substr(equals + 1)));
}

// All was written before we were started.
void read_pipe(Keys& keys, const std::string& path) {
  const Fd pipe(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW));
  struct stat status {};
  if (!pipe || ::fstat(pipe.get(), &status) != 0 || !S_ISFIFO(status.st_mode)) return;
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t got; (got = ::read(pipe.get(), buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  for (const std::string& line : split(text, '\n')) add(keys, line);
}

}  // namespace

bool is_secret(std::string_view variable) {
  return variable.ends_with("_API_KEY") || variable == "ANTHROPIC_AUTH_TOKEN";
}

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
  if (const auto path = environment_variable(kVariable)) read_pipe(keys, *path);
  ::unsetenv(kVariable);
  return keys;
}

std::string key_of(const Keys& keys, const std::string& variable) {
  for (const auto& [name, value] : keys) {
    if (name == variable) return value.value_or("");
  }
  return "";
}

KeyPipe::KeyPipe(const Folder& folder, const Keys& keys) : folder_(folder), name_(".keys-" + new_id()) {
  if (::mkfifoat(folder.fd(), name_.c_str(), 0600) != 0) fail_errno("cannot make", folder.path_of(name_));
  // Both ends are ours: what is written waits in the pipe.
  end_ = Fd(::openat(folder.fd(), name_.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW));
  std::string text;
  for (const auto& [name, value] : keys) text += fmt::format("{}={}\n", name, value.value_or(""));
  if (!end_ || !write_all(end_.get(), text)) {
    folder_.remove(name_);
    fail_errno("cannot write", folder.path_of(name_));
  }
}

KeyPipe::~KeyPipe() { ::unlinkat(folder_.fd(), name_.c_str(), 0); }

std::string KeyPipe::path() const { return std::filesystem::absolute(folder_.path_of(name_)); }

}  // namespace team
