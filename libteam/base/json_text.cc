#include "libteam/base/json_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "libteam/base/json.h"
#include "libteam/base/own_json.h"
#include "libteam/base/text.h"

namespace team {

namespace {

constexpr std::string_view kIndent = "\n  ";

void append_number(std::string& to, std::int64_t number) {
  std::array<char, 24> digits;
  to.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

bool stands_for_itself(char c) { return c >= ' ' && c != '"' && c != '\\'; }

void append_escape(std::string& to, char c) {
  constexpr std::string_view kCharacters = "\"\\\b\f\n\r\t";
  constexpr std::string_view kLetters = "\"\\bfnrt";
  constexpr std::string_view kDigits = "0123456789abcdef";
  const std::size_t letter = kCharacters.find(c);
  const auto code = static_cast<unsigned char>(c);
  if (letter != std::string_view::npos) to += {'\\', kLetters[letter]};
  else to.append("\\u00") += {kDigits[code >> 4U], kDigits[code & 0xFU]};
}

// Indents a document by one more level. Every newline is layout, since newlines in texts are escaped.
std::string indent(std::string_view json) {
  std::string text;
  for (const char c : dump_indented(parse_own(json))) {
    if (c == '\n') text += kIndent;
    else text += c;
  }
  text.resize(text.size() - kIndent.size());
  return text;
}

}  // namespace

void append_quoted(std::string& to, std::string_view text) {
  // Bytes above ASCII may be invalid UTF-8.
  if (std::any_of(text.begin(), text.end(), [](char c) { return c <= 0; })) {
    to += dump_line(Json(text));
    return;
  }
  to += '"';
  for (auto at = text.begin(); at != text.end();) {
    const auto end = std::find_if_not(at, text.end(), stands_for_itself);
    to.append(at, end);
    if (end == text.end()) break;
    append_escape(to, *end);
    at = end + 1;
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
  const Json json = parse_own(object);
  for (const auto& item : json.items()) add_json(item.key(), dump_line(item.value()));
}

std::string JsonText::take() {
  if (layout_ == Layout::indented) text_ += text_.size() > 1 ? "\n}\n" : "}\n";
  else text_ += '}';
  return std::move(text_);
}

std::string json_array(const std::vector<std::string>& elements) { return "[" + join(elements, ",") + "]"; }

std::string json_array_of_texts(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) append_quoted(quoted[i], texts[i]);
  return json_array(quoted);
}

}  // namespace team
