#include "libteam/base/terminal_text.h"

#include <fmt/core.h>

#include <cstdint>

#include "libteam/base/utf8.h"

namespace team {

namespace {

struct Found {
  std::uint32_t code = 0;  // 0: harmless
  std::size_t length = 1;
};

// The control character at the start of `text`, if there is one. is_control() has the same list.
Found find_control(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const auto is_within = [](unsigned value, unsigned from, unsigned to) { return value >= from && value <= to; };
  switch (byte(0)) {
    case 0x7F: return {0x7F, 1};
    case 0xC2:
      if (is_within(byte(1), 0x80, 0x9F)) return {byte(1), 2};
      break;
    case 0xD8:
      if (byte(1) == 0x9C) return {0x061C, 2};
      break;
    case 0xE2:
      if (byte(1) == 0x80 && (byte(2) == 0x8E || byte(2) == 0x8F || is_within(byte(2), 0xA8, 0xAE))) {
        return {0x2000 + byte(2) - 0x80, 3};
      }
      if (byte(1) == 0x81 && is_within(byte(2), 0xA6, 0xAF)) return {0x2040 + byte(2) - 0x80, 3};
      break;
    default: break;
  }
  return {};
}

// True for characters that move the cursor, change colours, end a line, or change the direction of text. The last ones
// are the Arabic letter mark, the left-to-right and right-to-left marks, embeddings, overrides, isolates, and the
// deprecated format characters after them. find_control() has the same list, as bytes.
bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x206F);
}

}  // namespace

std::string escape_for_terminal(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Found found = find_control(text.substr(at));
    if (found.code == 0) escaped.push_back(text[at]);
    else escaped += fmt::format("\\u{:04x}", found.code);
    at += found.length;
  }
  return escaped;
}

std::string one_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character character = decode_character(text.substr(at));
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
    const Character character = decode_character(std::string_view(whole).substr(at));
    const bool stays = character.code == '\n' || character.code == '\t' || !is_control(character.code);
    if (stays) kept.append(whole, at, character.length);
    at += character.length;
  }
  return kept;
}

}  // namespace team
