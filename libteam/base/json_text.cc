#include "libteam/base/json_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "libteam/base/json.h"

namespace team {

namespace {

constexpr std::string_view kIndent = "\n  ";

void append_number(std::string& to, std::int64_t number) {
  std::array<char, 24> digits;
  to.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

// The letter after the backslash, 0 if it is written by its number, and a blank if it stands for itself.
constexpr char escape_of(char c) {
  switch (c) {
    case '"':
    case '\\': return c;
    case '\b': return 'b';
    case '\f': return 'f';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    default: return static_cast<unsigned char>(c) < 0x20 ? '\0' : ' ';
  }
}

// A document as it stands inside of an object: one level further to the right. Line ends are layout only, as those in
// texts are escaped.
std::string indent(std::string_view json) {
  std::string text;
  for (const char c : dump_indented(Json::parse(json))) {
    if (c == '\n') text += kIndent;
    else text += c;
  }
  text.resize(text.size() - kIndent.size());
  return text;
}

}  // namespace

void append_quoted(std::string& to, std::string_view text) {
  // Bytes above ASCII may be no UTF-8.
  if (std::any_of(text.begin(), text.end(), [](char c) { return c <= 0; })) {
    to += dump_line(Json(text));
    return;
  }
  to += '"';
  for (const char c : text) {
    const char letter = escape_of(c);
    if (letter == ' ') {
      to += c;
    } else if (letter != '\0') {
      to += {'\\', letter};
    } else {
      constexpr std::string_view kDigits = "0123456789abcdef";
      const auto code = static_cast<unsigned char>(c);
      to.append("\\u00") += {kDigits[code >> 4U], kDigits[code & 0xFU]};
    }
  }
  to += '"';
}

void JsonText::begin(std::string_view key) {
  if (text_.size() > 1) text_ += ',';
  if (layout_ == Layout::indented) text_ += kIndent;
  append_quoted(text_, key);
  text_ += layout_ == Layout::indented ? ": " : ":";
}

void JsonText::add_text(std::string_view key, std::string_view text) {
  begin(key);
  text_ += text;
}

void JsonText::add(std::string_view key, std::string_view text) {
  begin(key);
  append_quoted(text_, text);
}

void JsonText::add(std::string_view key, std::int64_t number) {
  begin(key);
  append_number(text_, number);
}

void JsonText::add(std::string_view key, double number) {
  if (!std::isfinite(number)) {
    add(key, nullptr);
    return;
  }
  begin(key);
  std::array<char, 64> digits;
  text_.append(digits.data(), nlohmann::detail::to_chars(digits.data(), digits.data() + digits.size(), number));
}

void JsonText::add(std::string_view key, const std::vector<std::int64_t>& numbers) {
  begin(key);
  text_ += '[';
  const bool lines = layout_ == Layout::indented && !numbers.empty();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) text_ += ',';
    if (lines) text_.append(kIndent).append("  ");
    append_number(text_, numbers[i]);
  }
  if (lines) text_ += kIndent;
  text_ += ']';
}

void JsonText::add_json(std::string_view key, std::string_view json) {
  const bool is_flat = layout_ == Layout::line || json == "{}";
  add_text(key, is_flat ? json : indent(json));
}

void JsonText::add_all_of(std::string_view object) {
  if (object == "{}") return;
  const Json json = Json::parse(object);
  for (const auto& item : json.items()) add_json(item.key(), dump_line(item.value()));
}

std::string JsonText::take() {
  if (layout_ == Layout::indented) text_ += text_.size() > 1 ? "\n}\n" : "}\n";
  else text_ += '}';
  return std::move(text_);
}

}  // namespace team
