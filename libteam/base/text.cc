#include "libteam/base/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace team {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kEllipsis = "…";

bool is_alphanumeric(char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

struct Character {
  std::uint32_t code = 0;
  std::size_t length = 1;
  bool valid = false;
};

// The character at the start of `text`, which is not empty. For an invalid one, the length is the number of bytes to
// skip.
Character decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1, true};
  const std::size_t length = first >= 0xF0 && first < 0xF5 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 1;
  if (length == 1 || first >= 0xF5) return {};
  std::uint32_t code = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if (i >= text.size() || (byte(i) & 0xC0) != 0x80) return {0, i, false};
    code = (code << 6) | (byte(i) & 0x3F);
  }
  constexpr std::array<std::uint32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kSmallest[length] || surrogate || code > 0x10FFFF) return {0, 1, false};
  return {code, length, true};
}

struct Range {
  std::uint32_t from, to;
};

// Zero width: combining marks, joiners, variation selectors.
constexpr Range kZeroWidth[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD},  {0x0610, 0x061A},
                                {0x064B, 0x065F}, {0x0900, 0x0902}, {0x0E31, 0x0E31},  {0x0E34, 0x0E3A},
                                {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},  {0x200B, 0x200F},
                                {0x202A, 0x202E}, {0x2060, 0x2064}, {0x20D0, 0x20FF},  {0xFE00, 0xFE0F},
                                {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF}};

// Double width: Hangul, CJK, fullwidth forms, emoji.
constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x25FD, 0x25FE},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x26A1, 0x26A1},   {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},
    {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F5},   {0x26FA, 0x26FD},   {0x2705, 0x2705},
    {0x270A, 0x270B},   {0x2728, 0x2728},   {0x274C, 0x274E},   {0x2753, 0x2757},   {0x2795, 0x2797},
    {0x27B0, 0x27B0},   {0x2B1B, 0x2B1C},   {0x2B50, 0x2B55},   {0x2E80, 0x303E},   {0x3041, 0x33FF},
    {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F004, 0x1F004},
    {0x1F18E, 0x1F19A}, {0x1F200, 0x1F320}, {0x1F32D, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F7E0, 0x1F7EB},
    {0x1F900, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD}};

template <std::size_t N>
bool within(std::uint32_t code, const Range (&ranges)[N]) {
  const auto* found = std::upper_bound(std::begin(ranges), std::end(ranges), code,
                                       [](std::uint32_t c, const Range& range) { return c < range.from; });
  return found != std::begin(ranges) && code <= (found - 1)->to;
}

std::size_t columns_of(const Character& character) {
  if (character.code < 0x300) return character.code < 0x20 ? 0 : 1;
  if (within(character.code, kZeroWidth)) return 0;
  return within(character.code, kWide) ? 2 : 1;
}

// True for characters that move the cursor, change colours, end a line, or change the direction of text. The last ones
// are the Arabic letter mark, the left-to-right and right-to-left marks, embeddings, overrides, isolates, and the
// deprecated format characters after them. terminal_text.cc has the same list, as bytes.
bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x206F);
}

// Cuts so that the sum of `size_of` stays within `most`, including the ellipsis.
template <class SizeOf>
std::string cut(std::string_view text, std::size_t most, SizeOf size_of) {
  std::size_t used = 0;
  std::size_t keep = 0;  // bytes that fit beside the ellipsis
  for (std::size_t at = 0; at < text.size();) {
    const Character character = decode(text.substr(at));
    used += size_of(character);
    if (used > most) return most == 0 ? std::string() : std::string(text.substr(0, keep)).append(kEllipsis);
    at += character.length;
    if (used + 1 <= most) keep = at;
  }
  return std::string(text);
}

std::size_t edit_distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t changed = diagonal + (lower(one[i - 1]) == lower(other[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row.back();
}

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

std::string repair_utf8(std::string_view text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) { return c > 0; });
  if (plain) return std::string(text);
  std::string repaired;
  repaired.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character character = decode(text.substr(at));
    if (character.valid && character.code != 0) {
      repaired.append(text.substr(at, character.length));
    } else {
      repaired.append(kReplacement);
    }
    at += character.length;
  }
  return repaired;
}

void append_character(std::string& text, std::uint32_t code) {
  const auto add = [&](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      add(0xE0 | code >> 12);
    } else {
      add(0xF0 | code >> 18);
      add(0x80 | (code >> 12 & 0x3F));
    }
    add(0x80 | (code >> 6 & 0x3F));
  }
  add(0x80 | (code & 0x3F));
}

std::size_t whole_characters(std::string_view text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if (byte < 0x80) break;
    const std::size_t needs = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 0;
    if (needs > back) return text.size() - back;
    if (needs > 0) break;
  }
  return text.size();
}

std::string cut_characters(std::string_view text, std::size_t most) {
  return cut(text, most, [](const Character&) { return std::size_t{1}; });
}

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); at += decode(text.substr(at)).length) ++count;
  return count;
}

std::size_t columns(std::string_view text) {
  std::size_t sum = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = decode(text.substr(at));
    sum += columns_of(character);
    at += character.length;
  }
  return sum;
}

std::string cut_columns(std::string_view text, std::size_t most) { return cut(text, most, columns_of); }

std::string one_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character character = decode(text.substr(at));
    if (character.valid && is_control(character.code)) {
      line.push_back(' ');
    } else if (character.valid && character.code != 0xFFFE && character.code != 0xFFFF) {
      line.append(text.substr(at, character.length));
    } else {
      line.append(kReplacement);
    }
    at += character.length;
  }
  return line;
}

std::string printable(std::string_view text) {
  std::string kept;
  const std::string whole = repair_utf8(text);
  for (std::size_t at = 0; at < whole.size();) {
    const Character character = decode(std::string_view(whole).substr(at));
    const bool stays = character.code == '\n' || character.code == '\t' || !is_control(character.code);
    if (stays) kept.append(whole, at, character.length);
    at += character.length;
  }
  return kept;
}

std::string first_line(std::string_view text) {
  while (!text.empty() && (text.front() == '\n' || text.front() == '\r')) text.remove_prefix(1);
  return std::string(text.substr(0, text.find_first_of("\r\n")));
}

bool is_inner_path(std::string_view path) {
  const auto parts = split(path, '/');
  return !parts.front().empty() && std::find(parts.begin(), parts.end(), "..") == parts.end();
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  if (text.empty() || text[0] < '0' || text[0] > '9' || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_seconds(std::string_view text) {
  if (text.empty() || !((text[0] >= '0' && text[0] <= '9') || text[0] == '.')) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc()) return std::nullopt;
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit == "ms") value /= 1000;
  else if (unit == "m") value *= 60;
  else if (unit == "h") value *= 3600;
  else if (!unit.empty() && unit != "s") return std::nullopt;
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string describe_seconds(double seconds) {
  if (seconds < 0) seconds = 0;
  if (seconds < 120) return fmt::format("{:.0f} s", std::floor(seconds));
  if (seconds < 7200) return fmt::format("{:.0f} min", std::floor(seconds / 60));
  if (seconds < 172800) return fmt::format("{:.0f} h", std::floor(seconds / 3600));
  return fmt::format("{:.0f} d", std::floor(seconds / 86400));
}

std::vector<std::string> nearest(std::string_view wrong, const std::vector<std::string>& known) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& name : known) {
    const std::size_t distance = edit_distance(wrong, name);
    if (distance <= std::max<std::size_t>(1, name.size() / 3)) ranked.emplace_back(distance, name);
  }
  std::sort(ranked.begin(), ranked.end());
  constexpr std::size_t kMost = 3;
  std::vector<std::string> names;
  for (auto& [distance, name] : ranked) {
    if (names.size() < kMost) names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string joined;
  for (const std::string& part : parts) {
    if (!joined.empty()) joined.append(separator);
    joined.append(part);
  }
  return joined;
}

std::optional<std::string> environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace team
