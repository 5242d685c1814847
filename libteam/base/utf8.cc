#include "libteam/base/utf8.h"

#include <algorithm>
#include <array>

namespace team {

Character decode_character(std::string_view text) {
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

std::string repair_utf8(std::string_view text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) { return c > 0; });
  if (plain) return std::string(text);
  std::string repaired;
  repaired.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character character = decode_character(text.substr(at));
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

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); at += decode_character(text.substr(at)).length) ++count;
  return count;
}

std::string cut_characters(std::string_view text, std::size_t most) {
  return cut_by(text, most, [](const Character&) { return std::size_t{1}; });
}

std::string cut_by(std::string_view text, std::size_t most, std::size_t (*size_of)(const Character& character)) {
  constexpr std::string_view kEllipsis = "…";
  std::size_t used = 0;
  std::size_t keep = 0;  // bytes that fit beside the ellipsis
  for (std::size_t at = 0; at < text.size();) {
    const Character character = decode_character(text.substr(at));
    used += size_of(character);
    if (used > most) return most == 0 ? std::string() : std::string(text.substr(0, keep)).append(kEllipsis);
    at += character.length;
    if (used + 1 <= most) keep = at;
  }
  return std::string(text);
}

}  // namespace team
