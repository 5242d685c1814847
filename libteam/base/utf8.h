// UTF-8. Nothing here fails on bad bytes: each invalid sequence counts as one character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace team {

// U+FFFD, which replaces invalid bytes.
inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Character {
  std::uint32_t code = 0;
  std::size_t length = 1;  // in bytes; for an invalid one, the number of bytes to skip
  bool valid = false;
};

// The character at the start of `text`, which is not empty.
Character decode_character(std::string_view text);

// Returns valid UTF-8 unchanged; each invalid sequence, and NUL, becomes one U+FFFD.
std::string repair_utf8(std::string_view text);

// In UTF-8.
void append_character(std::string& text, std::uint32_t code);

// How many bytes of `text` are whole characters: all, unless the last one is cut.
std::size_t whole_characters(std::string_view text);

std::size_t count_characters(std::string_view text);

// At most `most` characters (code points); a shortened text ends in "…", which counts.
std::string cut_characters(std::string_view text, std::size_t most);
// The same for another measure, such as columns: `size_of` gives that of a character, and "…" counts as 1.
std::string cut_by(std::string_view text, std::size_t most, std::size_t (*size_of)(const Character& character));

}  // namespace team
