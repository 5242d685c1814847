#include "libteam/cli/input.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "libteam/base/error.h"
#include "libteam/base/name.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"
#include "libteam/cli/output.h"
#include "libteam/record/role.h"
#include "libteam/system/file.h"

namespace team {

namespace {

// False at the end.
bool read_some(int fd, std::string& text, std::string_view what) {
  constexpr std::size_t kPiece = 65536;
  const std::size_t before = text.size();
  text.resize(before + kPiece);
  ssize_t got = -1;
  do {
    got = ::read(fd, text.data() + before, kPiece);
  } while (got < 0 && errno == EINTR);
  if (got < 0) fail_errno("cannot read", what);
  text.resize(before + static_cast<std::size_t>(got));
  return got > 0;
}

std::string read_all(int fd, std::string_view what, std::size_t most_bytes) {
  std::string text;
  while (read_some(fd, text, what)) {
    if (text.size() > most_bytes) fail(Code::usage, "{} is larger than {} bytes", what, most_bytes);
  }
  return text;
}

}  // namespace

bool read_piece(std::string& piece) {
  piece.clear();
  return read_some(STDIN_FILENO, piece, "stdin");
}

void each_input_line(const std::function<void(const std::string&, std::size_t)>& visit) {
  std::string text;
  std::size_t number = 0;
  bool more = true;
  while (more) {
    more = read_some(STDIN_FILENO, text, "stdin");
    if (!more && !text.empty() && text.back() != '\n') text.push_back('\n');
    std::size_t start = 0;
    for (std::size_t end = 0; (end = text.find('\n', start)) != std::string::npos; start = end + 1) {
      const std::string line = text.substr(start, end - start);
      ++number;
      if (!is_blank(line)) visit(line, number);
    }
    text.erase(0, start);
  }
}

std::string read_input(std::size_t most_bytes) {
  std::string text = read_all(STDIN_FILENO, "stdin", most_bytes);
  if (text.ends_with('\n')) text.pop_back();
  return repair_utf8(text);
}

void read_if_dash(std::string& text) {
  constexpr std::size_t kLargestText = std::size_t{1} << 20;
  if (text == "-") text = read_input(kLargestText);
}

void read_if_dash(std::optional<std::string>& text) {
  if (text) read_if_dash(*text);
}

std::string read_user_file(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) {
    if (errno == ENOENT) fail(Code::not_found, "no file '{}'", path);
    fail_errno("cannot open", path);
  }
  constexpr std::size_t kMost = std::size_t{4} << 20;
  return read_all(fd.get(), path, kMost);
}

std::string read_user_file_or_input(const std::string& path) {
  constexpr std::size_t kMost = std::size_t{4} << 20;
  return path == "-" ? read_input(kMost) : read_user_file(path);
}

Role read_role(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  if (equals == std::string::npos || !is_name(name)) {
    fail(Code::usage, "--role: '{}' is not NAME=FILE", one_line(text));
  }
  const std::string file = text.substr(equals + 1);
  try {
    Role role = make_role(name, read_user_file(file), file);
    for (const std::string& key : parse_role(role, file).ignored) {
      warn(fmt::format("warning: {}: key '{}' has no effect", file, one_line(key)));
    }
    return role;
  } catch (const Error& error) {
    if (error.code() != Code::corrupt) throw;
    fail(Code::usage, "--role: {}", error.what());
  }
}

std::vector<Role> read_roles(const std::vector<std::string>& texts) {
  std::vector<Role> roles;
  for (const std::string& text : texts) roles.push_back(read_role(text));
  return roles;
}

}  // namespace team
