#include "libteam/base/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>
#include <vector>

#include "libteam/base/error.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/utf8.h"

namespace team {

namespace {

std::string position(std::string_view text, std::size_t byte, std::string_view subject) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t start = before.rfind('\n');
  const std::size_t column = start == std::string_view::npos ? before.size() + 1 : before.size() - start;
  return fmt::format("{}:{}:{}", subject, line, column);
}

// Caught by parse_json().
struct Problem {
  std::size_t byte;
  std::string reason;
};

// Reads a document from left to right, each byte once, since commands that open a task spend most of their time here.
// It checks the limits and knows the position of an error. nlohmann's parser takes 2.5 times as long. It also converts
// large integers to floats, accepts duplicate keys, and recurses without a limit.
class Parser {
 public:
  Parser(std::string_view text, std::size_t deepest)
      : begin_(text.data()), at_(begin_), end_(begin_ + text.size()), deepest_(deepest) {}

  Json document() {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (rest().starts_with(kByteOrderMark)) at_ += kByteOrderMark.size();
    Json root;
    value(root, 0);
    skip_blanks();
    if (at_ != end_) refuse_this("the end");
    return root;
  }

 private:
  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  bool is_at(char c) const { return at_ != end_ && *at_ == c; }
  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }

  [[noreturn]] void refuse(const char* place, std::string reason) const {
    throw Problem{static_cast<std::size_t>(place - begin_), std::move(reason)};
  }
  [[noreturn]] void refuse_this(std::string_view expected) const {
    const auto is_inside = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80; };
    const char* next = at_ == end_ ? at_ : at_ + 1;
    while (next != end_ && is_inside(*next)) ++next;  // skips the rest of a multi-byte character
    const std::string seen = at_ == end_ ? "end of input" : fmt::format("'{}'", one_line({at_, next}));
    refuse(at_, fmt::format("unexpected {}; expected {}", seen, expected));
  }

  void value(Json& into, std::size_t depth) {
    skip_blanks();
    if (at_ == end_) refuse_this("a value");
    switch (*at_) {
      case '{': return object(into, depth);
      case '[': return array(into, depth);
      case '"': into = string(); return;
      case 't': return word("true", into, true);
      case 'f': return word("false", into, false);
      case 'n': return word("null", into, nullptr);
      default: return number(into);
    }
  }

  void word(std::string_view text, Json& into, Json meaning) {
    if (!rest().starts_with(text)) refuse_this("a value");
    at_ += text.size();
    into = std::move(meaning);
  }

  void enter(std::size_t depth) {
    if (depth >= deepest_) refuse(at_, fmt::format("deeper than {} levels", deepest_));
    ++at_;
  }
  // After a member: true if another one follows.
  bool goes_on(char closing, std::string_view expected) {
    skip_blanks();
    if (!is_at(',') && !is_at(closing)) refuse_this(expected);
    return *at_++ == ',';
  }

  void array(Json& into, std::size_t depth) {
    enter(depth);
    into = Json::array();
    skip_blanks();
    if (is_at(']')) {
      ++at_;
      return;
    }
    auto& items = into.get_ref<Json::array_t&>();
    do value(items.emplace_back(), depth + 1);
    while (goes_on(']', "']'"));
  }

  void object(Json& into, std::size_t depth) {
    enter(depth);
    into = Json::object();
    skip_blanks();
    if (is_at('}')) {
      ++at_;
      return;
    }
    std::vector<std::pair<const std::string, Json>>& members = into.get_ref<Json::object_t&>();
    constexpr std::size_t kUsual = 16;
    members.reserve(kUsual);
    std::unordered_set<std::string> seen;  // the keys, once there are too many for a linear search
    do {
      skip_blanks();
      if (!is_at('"')) refuse_this("a key");
      const char* const place = at_;
      std::string key = string();
      if (!is_new(key, members, seen)) refuse(place, fmt::format("duplicate key \"{}\"", key));
      skip_blanks();
      if (!is_at(':')) refuse_this("':'");
      ++at_;
      value(members.emplace_back(std::move(key), nullptr).second, depth + 1);
    } while (goes_on('}', "'}'"));
  }

  static bool is_new(const std::string& key, const std::vector<std::pair<const std::string, Json>>& members,
                     std::unordered_set<std::string>& seen) {
    constexpr std::size_t kFew = 64;
    if (members.size() < kFew) {
      return std::none_of(members.begin(), members.end(), [&](const auto& member) { return member.first == key; });
    }
    if (seen.empty()) {
      for (const auto& member : members) seen.insert(member.first);
    }
    return seen.insert(key).second;
  }

  std::string string() {
    ++at_;
    std::string text;
    while (true) {
      const char* const start = at_;
      while (at_ != end_ && *at_ != '"' && *at_ != '\\' && static_cast<unsigned char>(*at_) >= ' ') ++at_;
      text.append(start, at_);
      if (at_ == end_) refuse_this("'\"'");
      if (*at_ == '"') break;
      if (*at_ != '\\') {
        refuse(at_, fmt::format("a control character in a string: it is written \\u{:04x}", static_cast<int>(*at_)));
      }
      escape(text);
    }
    ++at_;
    return text;
  }

  void escape(std::string& text) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const char* const start = at_++;
    if (at_ == end_) refuse_this("'\"'");
    if (*at_ == 'u') {
      ++at_;
      append_character(text, code_point(start));
      return;
    }
    const std::size_t letter = kLetters.find(*at_);
    if (letter == std::string_view::npos) refuse(start, "no such escape in a string");
    text.push_back(kMeanings[letter]);
    ++at_;
  }

  // Characters above U+FFFF are written as two escapes.
  std::uint32_t code_point(const char* start) {
    const std::uint32_t first = four_digits(start);
    if (first < 0xD800 || first > 0xDFFF) return first;
    if (first < 0xDC00 && rest().starts_with("\\u")) {
      at_ += 2;
      const std::uint32_t second = four_digits(start);
      if (second >= 0xDC00 && second <= 0xDFFF) return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
    }
    refuse(start, "half of a character in a string");
  }

  std::uint32_t four_digits(const char* start) {
    constexpr std::ptrdiff_t kDigits = 4;
    std::uint32_t code = 0;
    const char* const end = end_ - at_ < kDigits ? end_ : at_ + kDigits;
    if (std::from_chars(at_, end, code, 16).ptr != at_ + kDigits)
      refuse(start, "\\u is followed by 4 digits from 0 to f");
    at_ += kDigits;
    return code;
  }

  bool skip_digits() {
    const char* const start = at_;
    while (at_ != end_ && *at_ >= '0' && *at_ <= '9') ++at_;
    return at_ != start;
  }

  void number(Json& into) {
    const char* const start = at_;
    if (is_at('-')) ++at_;
    if (at_ == end_ || *at_ < '0' || *at_ > '9') refuse_this(at_ == start ? "a value" : "a digit");
    if (*at_ == '0') ++at_;
    else skip_digits();
    const char* const whole = at_;
    if (is_at('.')) {
      ++at_;
      if (!skip_digits()) refuse_this("a digit");
    }
    if (is_at('e') || is_at('E')) {
      ++at_;
      if (is_at('+') || is_at('-')) ++at_;
      if (!skip_digits()) refuse_this("a digit");
    }
    if (at_ != whole) into = fraction(start);
    else if (*start == '-') into = integer<std::int64_t>(start);
    else into = integer<std::uint64_t>(start);
  }

  template <class Integer>
  Integer integer(const char* start) const {
    Integer number = 0;
    if (std::from_chars(start, at_, number).ec != std::errc()) refuse_number(start);
    return number;
  }

  double fraction(const char* start) const {
    double number = 0;
    // Underflow gives 0; overflow is an error.
    if (std::from_chars(start, at_, number).ec != std::errc())
      number = std::strtod(std::string(start, at_).c_str(), nullptr);
    if (!std::isfinite(number)) refuse_number(start);
    return number;
  }

  [[noreturn]] void refuse_number(const char* start) const {
    refuse(start, fmt::format("number {} is out of range", std::string_view(start, at_)));
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  std::size_t deepest_;
};

}  // namespace

Json parse_json(std::string_view text, std::string_view subject, const JsonLimits& limits) {
  if (text.size() > limits.bytes) fail(Code::corrupt, "{}: larger than {} bytes", subject, limits.bytes);
  // Most texts are ASCII: they need no copy.
  const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) { return c > 0; });
  const std::string repaired = is_plain ? std::string() : repair_utf8(text);
  const std::string_view valid = is_plain ? text : repaired;
  try {
    return Parser(valid, limits.depth).document();
  } catch (const Problem& problem) {
    fail(Code::corrupt, "{}: {}", position(valid, problem.byte, subject), problem.reason);
  }
}

std::string dump_line(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string dump_indented(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace).append("\n");
}

std::string locate_key(std::string_view text, std::string_view key, std::string_view subject) {
  const std::size_t at = text.find(fmt::format("\"{}\"", key));
  return at == std::string_view::npos ? std::string(subject) : position(text, at, subject);
}

}  // namespace team
