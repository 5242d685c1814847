// Names, Unicode, numbers, durations.
#include "libteam/base/text.h"
#include "libteam/base/columns.h"
#include "libteam/base/name.h"
#include "libteam/base/number.h"
#include "libteam/base/spelling.h"

#include <fmt/core.h>

#include "libteam/base/terminal_text.h"

#include "libteam/base/time_text.h"
#include "libteam/base/utf8.h"
#include "tests/unit/check.h"

using namespace team;

namespace {

void names() {
  for (const char* good : {"a", "0", "backend", "coder-1", "A_b-9"}) CHECK(is_name(good));
  CHECK(is_name(std::string(64, 'x')));
  for (const char* bad : {"", "-a", "_a", "a b", "a/b", "..", ".", "a.b", "é", "a\n"}) CHECK(!is_name(bad));
  CHECK(!is_name(std::string(65, 'x')));
  CHECK(!is_name(std::string_view("a\0b", 3)));
  CHECK(same_name("Backend", "bACKEND"));
  CHECK(!same_name("backend", "backend1"));
  for (const char* bad : {"a{", "a[", "a@", "a`", "a:"}) CHECK(!is_name(bad));
}

void unicode() {
  CHECK(repair_utf8("plain") == "plain");
  CHECK(repair_utf8("grün 日本 🙂") == "grün 日本 🙂");
  CHECK(repair_utf8("a\xFF"
                    "b") ==
        "a\xEF\xBF\xBD"
        "b");
  CHECK(repair_utf8("\xC0\xAF") == "\xEF\xBF\xBD\xEF\xBF\xBD");              // overlong
  CHECK(repair_utf8("\xED\xA0\x80").find('\xED') == std::string::npos);      // a surrogate
  CHECK(repair_utf8("\xE6\x97") == "\xEF\xBF\xBD");                          // cut off
  CHECK(repair_utf8("\xE0\x80\x80").find('\xE0') == std::string::npos);      // overlong, three bytes
  CHECK(repair_utf8("\xF4\x90\x80\x80").find('\xF4') == std::string::npos);  // past the last
  CHECK(repair_utf8(std::string_view("a\0b", 3)) ==
        "a\xEF\xBF\xBD"
        "b");
  CHECK(cut_characters("日本語", 3) == "日本語");
  CHECK(cut_characters("日本語です", 3) == "日本…");
  CHECK(cut_characters("abc", 0).empty());
  CHECK(columns("abc") == 3);
  CHECK(columns("日本") == 4);
  CHECK(columns("e\xCC\x81") == 1);  // a combining accent
  CHECK(columns("🙂") == 2);
  CHECK(cut_columns("日本語", 5) == "日本…");
  CHECK(cut_columns("日本語", 4) == "日…");
  CHECK(columns("\xCD\xB0") == 1);  // between the first wider and the first narrower characters
  CHECK(one_line("a\tb\nc\x1b[31m") == "a b c [31m");
  // Characters that change the direction, isolate text or end a line: U+202E, U+2066 to U+2069, U+2028, U+2029.
  CHECK(one_line("a\xE2\x80\xAE b\xE2\x81\xA6 c\xE2\x81\xA9 d\xE2\x80\xA8 e\xE2\x80\xA9.") == "a  b  c  d  e .");
  CHECK(one_line("a\xD8\x9C b\xE2\x80\x8E c\xE2\x80\x8F d\xE2\x81\xAF.") == "a  b  c  d .");  // direction marks
  CHECK(one_line("\xE2\x80\xAF\xE2\x81\xA5\xE2\x81\xB0\xE2\x80\x8D\xD8\x9B\xD8\x9D") ==
        "\xE2\x80\xAF\xE2\x81\xA5\xE2\x81\xB0\xE2\x80\x8D\xD8\x9B\xD8\x9D");  // their neighbours
  CHECK(one_line("\xEF\xBF\xBC\xEF\xBF\xBE\xEF\xBF\xBF") == "\xEF\xBF\xBC\xEF\xBF\xBD\xEF\xBF\xBD");  // noncharacters
  CHECK(is_blank("") && is_blank(" \t\r\n\f\v"));
  CHECK(!is_blank(" a ") && !is_blank("\xC2\xA0"));
  CHECK(first_line("\n\none\ntwo") == "one");
  CHECK(first_line("\r\none\r\ntwo") == "one");
}

void for_terminals() {
  CHECK(printable("one\n\ttwo, 日本 🙂 é") == "one\n\ttwo, 日本 🙂 é");
  CHECK(printable("a\x1b[2Jb\ac\rd\x7f") == "a[2Jbcd");
  CHECK(printable(std::string_view("a\0b", 3)) ==
        "a\xEF\xBF\xBD"
        "b");
  CHECK(printable("a\xC2\x9B"
                  "31m\xC2\x80\xC2\x9F.") == "a31m.");
  CHECK(printable("\xC2\xA0\xC3\x9B") == "\xC2\xA0\xC3\x9B");  // no-break space, Û
  CHECK(printable("a\x9B"
                  "31m") ==
        "a\xEF\xBF\xBD"
        "31m");
  CHECK(printable("a\xC2") == "a\xEF\xBF\xBD");
  CHECK(printable("").empty());
  CHECK(printable("a\u202Eb\u2066c\u2069d\u2028e") == "abcde");  // they would reverse the rest of the line
}

// For every character: escape_for_terminal() escapes those that one_line() blanks out, except C0, which colours need.
void escapes() {
  CHECK(escape_for_terminal("\x1b[1ma\x1b[0m\tb\n") == "\x1b[1ma\x1b[0m\tb\n");
  CHECK(escape_for_terminal("\"\xC2\x9B"
                            "31m\xE2\x80\xAE\"") == R"("\u009b31m\u202e")");
  CHECK(escape_for_terminal("\xC2") == "\xC2" && escape_for_terminal("\xE2\x80") == "\xE2\x80");
  std::size_t escaped = 0;
  for (std::uint32_t code = 0x20; code <= 0x10FFFF; ++code) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    std::string text;
    append_character(text, code);
    const bool is_control = one_line(text) == " " && code != ' ';
    const std::string expected = is_control ? fmt::format("\\u{:04x}", code) : text;
    if (escape_for_terminal(text) != expected) CHECK(fmt::format("U+{:04X}", code).empty());
    escaped += is_control ? 1 : 0;
  }
  CHECK(escaped == 33 + 3 + 7 + 10);
}

void numbers() {
  CHECK(parse_integer("0") == 0);
  CHECK(parse_integer("9223372036854775807") == INT64_MAX);
  for (const char* bad : {"", "-1", "+1", "01", "1 ", " 1", "1x", "9223372036854775808", "0x1"})
    CHECK(!parse_integer(bad));
  CHECK(parse_seconds("2") == 2);
  CHECK(parse_seconds("0.5") == 0.5);
  CHECK(parse_seconds("500ms") == 0.5);
  CHECK(parse_seconds("3m") == 180);
  CHECK(parse_seconds("1h") == 3600);
  CHECK(parse_seconds("2s") == 2);
  CHECK(parse_seconds(".5") == 0.5);
  CHECK(!parse_seconds(std::string(400, '9')));
  for (const char* bad : {"", "x", "-1", "1d", "1 s", "inf", "nan", "1e999"}) CHECK(!parse_seconds(bad));
  // In seconds it would be too large for a double.
  CHECK(parse_seconds(std::string(308, '9')) && !parse_seconds(std::string(308, '9') + "h"));
}

void ages() {
  CHECK(describe_seconds(-1) == "0 s");
  CHECK(describe_seconds(119.9) == "119 s");
  CHECK(describe_seconds(120) == "2 min");
  CHECK(describe_seconds(7200) == "2 h");
  CHECK(describe_seconds(172800) == "2 d");
}

void neighbours() {
  CHECK(nearest("backedn", {"backend", "frontend"}) == std::vector<std::string>{"backend"});
  CHECK(nearest("zzz", {"backend", "frontend"}).empty());
  CHECK(nearest("coder", {"coder1", "coder2", "coder3", "coder4"}).size() == 3);
  CHECK(split("a,b,", ',') == (std::vector<std::string>{"a", "b", ""}));
  CHECK(join({"a", "b"}, ", ") == "a, b");
}

}  // namespace

int main() {
  names();
  unicode();
  for_terminals();
  escapes();
  numbers();
  ages();
  neighbours();
  return test::report();
}
