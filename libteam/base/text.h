// Rules for text: names, Unicode, numbers that people type.
//
// Nothing here fails on bad bytes: invalid UTF-8 is replaced by U+FFFD before it reaches a file or a screen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace team {

// `[A-Za-z0-9][A-Za-z0-9_-]{0,63}`: the only names from which a path is ever built.
bool is_name(std::string_view text);

// True for names that differ at most in the case of ASCII letters: on some file systems they are one file.
bool same_name(std::string_view one, std::string_view other);

// Returns valid UTF-8 unchanged; each invalid sequence, and NUL, becomes one U+FFFD.
std::string repair_utf8(std::string_view text);

// In UTF-8.
void append_character(std::string& text, std::uint32_t code);

// How many bytes of `text` are whole characters: all, unless the last one is cut.
std::size_t whole_characters(std::string_view text);

// At most `most` characters (code points); a shortened text ends in "…", which counts.
std::string cut_characters(std::string_view text, std::size_t most);

std::size_t count_characters(std::string_view text);

// Columns on a terminal: 2 for CJK and emoji, 0 for combining marks.
std::size_t columns(std::string_view text);

// As cut_characters, but by columns of a terminal.
std::string cut_columns(std::string_view text, std::size_t most);

// For a field of a line: control characters, tabs and newlines become blanks, so that no text can forge a column or
// control a terminal.
std::string one_line(std::string_view text);

// For a terminal: removes all control characters except newlines and tabs, so that no text can control it.
std::string printable(std::string_view text);

std::string first_line(std::string_view text);

// True for a relative path without "..": it stays beneath its start, apart from links.
bool is_inner_path(std::string_view path);

// A decimal number without sign, blanks or leading zeros; none for other texts and for numbers that are too large.
std::optional<std::int64_t> parse_integer(std::string_view text);

// "2", "0.5", "500ms", "3m", "1h"; none if it is not a duration.
std::optional<double> parse_seconds(std::string_view text);

// A duration for people: "3 s", "4 min", "2 h", "5 d".
std::string describe_seconds(double seconds);

// The entries of `known` that are similar to the mistyped word `wrong`, best first.
std::vector<std::string> nearest(std::string_view wrong, const std::vector<std::string>& known);

std::vector<std::string> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& parts, std::string_view separator);

// The value of a variable; none if it is unset or empty.
std::optional<std::string> environment_variable(const char* name);

}  // namespace team
