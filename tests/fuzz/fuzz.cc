#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "libteam/base/json.h"
#include "libteam/system/lines.h"

namespace team::fuzz {

namespace fs = std::filesystem;

void report_violation(const char* property, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, property);
  std::abort();
}

std::uint8_t Source::byte() {
  if (rest_.empty()) return 0;
  const auto first = static_cast<std::uint8_t>(rest_.front());
  rest_.remove_prefix(1);
  return first;
}

std::uint32_t Source::number() {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | byte();
  return value;
}

std::string_view Source::piece() {
  const std::string_view found = rest_.substr(0, rest_.find('\0'));
  rest_.remove_prefix(std::min(rest_.size(), found.size() + 1));
  return found;
}

std::string_view Source::take(std::size_t most) {
  const std::string_view found = rest_.substr(0, most);
  rest_.remove_prefix(found.size());
  return found;
}

namespace {

struct Decoded {
  std::uint32_t code = 0;
  std::size_t length = 0;  // 0: invalid
};

// Table 3-7 of the Unicode standard: well-formed byte sequences.
Decoded decode(std::string_view text) {
  const auto at = [&](std::size_t i) -> std::uint32_t {
    return i < text.size() ? static_cast<std::uint8_t>(text[i]) : 0;
  };
  const auto tail = [&](std::size_t i) { return at(i) >= 0x80 && at(i) <= 0xBF; };
  const std::uint32_t first = at(0);
  if (first <= 0x7F) return {first, 1};
  if (first >= 0xC2 && first <= 0xDF && tail(1)) return {(first & 0x1F) << 6 | (at(1) & 0x3F), 2};
  const bool second_of_three = first == 0xE0   ? at(1) >= 0xA0 && at(1) <= 0xBF
                               : first == 0xED ? at(1) >= 0x80 && at(1) <= 0x9F
                                               : tail(1);
  if (first >= 0xE0 && first <= 0xEF && second_of_three && tail(2)) {
    return {(first & 0x0F) << 12 | (at(1) & 0x3F) << 6 | (at(2) & 0x3F), 3};
  }
  const bool second_of_four = first == 0xF0   ? at(1) >= 0x90 && at(1) <= 0xBF
                              : first == 0xF4 ? at(1) >= 0x80 && at(1) <= 0x8F
                                              : tail(1);
  if (first >= 0xF0 && first <= 0xF4 && second_of_four && tail(2) && tail(3)) {
    return {(first & 0x07) << 18 | (at(1) & 0x3F) << 12 | (at(2) & 0x3F) << 6 | (at(3) & 0x3F), 4};
  }
  return {};
}

bool drives(std::uint32_t code) {
  const bool control = code < 0x20 || (code >= 0x7F && code <= 0x9F);
  const bool turns = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return control || turns || code == 0x2028 || code == 0x2029;
}

std::optional<Json> parsed(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  return json.is_discarded() ? std::nullopt : std::optional(std::move(json));
}

class Scratch {
 public:
  Scratch() {
    const char* base = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    path_ = std::string(base) + "/teamkit-fuzz-XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) report_violation("a folder can be made", base, 0);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Decoded character = decode(text);
    if (character.length == 0) return false;
    text.remove_prefix(character.length);
  }
  return true;
}

bool is_safe_for_terminal(std::string_view text, std::string_view allowed) {
  while (!text.empty()) {
    const Decoded character = decode(text);
    if (character.length == 0) return false;
    const bool is_allowed = character.length == 1 && allowed.find(text[0]) != std::string_view::npos;
    if (drives(character.code) && !is_allowed) return false;
    text.remove_prefix(character.length);
  }
  return true;
}

bool is_json(std::string_view text) { return Json::accept(text); }

bool keeps_unknown_keys(std::string_view before, std::string_view after, std::string_view known,
                        std::initializer_list<std::string_view> also_known) {
  // As in the parser under test, bytes that are not UTF-8 are replaced.
  const Json from = parse_json(before, "before");
  const auto to = parsed(after);
  const auto ours = parsed(known);
  if (!from.is_object() || !to || !to->is_object() || !ours) return false;
  for (const auto& item : from.items()) {
    const bool is_known =
        ours->contains(item.key()) || std::find(also_known.begin(), also_known.end(), item.key()) != also_known.end();
    if (!is_known && (!to->contains(item.key()) || (*to)[item.key()] != item.value())) return false;
  }
  return true;
}

bool is_deeper_than(std::string_view text, std::size_t levels) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > levels) return true;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return false;
}

std::optional<std::string> string_in(std::string_view json, const char* key) {
  const auto object = parsed(json);
  if (!object || !object->is_object()) return std::nullopt;
  const auto found = object->find(key);
  return found != object->end() && found->is_string() ? std::optional(found->get<std::string>()) : std::nullopt;
}

const std::string& scratch() {
  static const Scratch folder;
  return folder.path();
}

void put_file(const std::string& path, std::string_view text) {
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!fd || !write_all(fd.get(), text)) report_violation("a file can be written", path.c_str(), 0);
}

std::optional<std::string> get_file(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd) return std::nullopt;
  return read_at(fd, 0, static_cast<std::size_t>(size_of(fd)));
}

void make_empty(const std::string& path) {
  fs::remove_all(path);
  fs::create_directories(path);
  fs::permissions(path, fs::perms::owner_all);
}

std::string snapshot_of(const std::string& path) {
  std::vector<std::string> entries;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(path, ignored)) {
    const std::string name = entry.path().string().substr(path.size());
    if (entry.is_symlink()) entries.push_back(name + " -> " + fs::read_symlink(entry.path(), ignored).string());
    else if (entry.is_directory()) entries.push_back(name + "/");
    else entries.push_back(name + " = " + get_file(entry.path().string()).value_or("?"));
  }
  std::sort(entries.begin(), entries.end());
  std::string all;
  for (const std::string& entry : entries) all += entry + "\n";
  return all;
}

}  // namespace team::fuzz
