#include "libteam/system/environment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "libteam/base/environment_variable.h"
#include "libteam/base/error.h"
#include "libteam/base/number.h"
#include "libteam/base/secrets.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/system/id.h"
#include "libteam/system/program.h"

extern "C" char** environ;

namespace team {

namespace {

constexpr const char* kAddress = "TEAM_ENVIRONMENT";

// These describe the terminal and the folder of the process, not the choices of the caller.
constexpr std::array<std::string_view, 8> kOfTerminal = {
    "TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TMUX", "TMUX_PANE", "COLUMNS", "LINES", "PWD"};

std::string name_of(std::string_view entry) { return std::string(entry.substr(0, entry.find('='))); }

bool is_of_terminal(std::string_view name) {
  return std::find(kOfTerminal.begin(), kOfTerminal.end(), name) != kOfTerminal.end();
}

// Entries of the form NAME=VALUE.
std::vector<std::string> entries_of_environment() {
  std::vector<std::string> entries;
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) entries.emplace_back(*entry);
  return entries;
}

template <class Predicate>
Variables removed_if(Predicate is_unwanted) {
  Variables removed;
  for (const std::string& entry : entries_of_environment()) {
    const std::string name = name_of(entry);
    if (is_unwanted(name)) removed.emplace_back(name, std::nullopt);
  }
  return removed;
}

std::string link_of(const std::string& path) {
  std::array<char, 256> target{};
  const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
  return length < 0 ? "" : std::string(target.data(), static_cast<std::size_t>(length));
}

Fd make_memory(const std::string& name) {
#ifndef MFD_NOEXEC_SEAL
  constexpr unsigned MFD_NOEXEC_SEAL = 8U;
#endif
  // Older kernels do not know the flag; some newer ones require it.
  int fd = ::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_NOEXEC_SEAL);
  if (fd < 0 && errno == EINVAL) fd = ::memfd_create(name.c_str(), MFD_CLOEXEC);
  if (fd < 0) fail_errno("cannot make", "a file in memory");
  return Fd(fd);
}

// All bytes of a file, such as one of /proc that has no size.
std::string read_all(const Fd& fd, const std::string& path) {
  std::string text;
  std::array<char, 65536> buffer{};
  ssize_t got = 0;
  while ((got = ::read(fd.get(), buffer.data(), buffer.size())) > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  if (got < 0) fail_errno("cannot read", path);
  return text;
}

std::vector<std::string> split_at_nul(const std::string& text) {
  std::vector<std::string> parts = split(text, '\0');
  parts.pop_back();  // each part ends with NUL
  return parts;
}

// `address` is PID/DESCRIPTOR/NAME. The name shows whether PID is still the same process.
std::vector<std::string> read_handover(const std::string& address) {
  const auto parts = split(address, '/');
  const auto refuse = [&](const char* reason) {
    fail(Code::io, "cannot read the environment of the process that started this one ({}={}): {}", kAddress,
         one_line(address), reason);
  };
  if (parts.size() != 3 || !parse_integer(parts[0]) || !parse_integer(parts[1])) refuse("this is no address");
  const std::string path = fmt::format("/proc/{}/fd/{}", parts[0], parts[1]);
  const std::string expected = fmt::format("/memfd:{} (deleted)", parts[2]);
  if (link_of(path) != expected) refuse("that process has ended");
  const Fd memory(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!memory || link_of(fmt::format("/proc/self/fd/{}", memory.get())) != expected) refuse("that process has ended");
  struct stat status {};
  if (::fstat(memory.get(), &status) != 0 || status.st_uid != ::geteuid()) refuse("it is another user's");
  return split_at_nul(read_all(memory, path));
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Variables without_secrets() { return removed_if(is_secret); }

Variables only(const std::vector<std::string>& patterns) {
  return removed_if([&](const std::string& name) {
    return std::none_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
      return pattern.ends_with('*') ? name.starts_with(std::string_view(pattern).substr(0, pattern.size() - 1))
                                    : name == pattern;
    });
  });
}

EnvironmentHandover::EnvironmentHandover(const Variables& changes)
    : name_("teamkit-environment-" + new_id()), memory_(make_memory(name_)) {
  std::vector<std::string> entries = entries_of_environment();
  for (const auto& [name, value] : changes) {
    std::erase_if(entries, [&name = name](const std::string& entry) { return name_of(entry) == name; });
    if (value) entries.push_back(fmt::format("{}={}", name, *value));
  }
  std::string text;
  for (const std::string& entry : entries) text.append(entry).push_back('\0');
  if (!write_all(memory_.get(), text)) fail_errno("cannot write", "a file in memory");
}

std::string EnvironmentHandover::address() const { return fmt::format("{}/{}/{}", ::getpid(), memory_.get(), name_); }

void adopt_environment() {
  const auto address = environment_variable(kAddress);
  if (!address) return;
  std::vector<std::string> entries = read_handover(*address);
  std::erase_if(entries, [](const std::string& entry) { return is_of_terminal(name_of(entry)); });
  for (std::string& entry : entries_of_environment()) {
    if (is_of_terminal(name_of(entry))) entries.push_back(std::move(entry));
  }
  const Fd command_line(::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC));
  std::vector<std::string> arguments = split_at_nul(read_all(command_line, "/proc/self/cmdline"));
  ::umask(inherited_mask());  // the executed program reads it at its start
  ::execve(arguments.at(0).c_str(), pointers_to(arguments).data(), pointers_to(entries).data());
  fail_errno("cannot run", arguments.at(0));
}

}  // namespace team
