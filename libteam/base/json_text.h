// Writes a JSON object directly as text, key by key.
//
// It builds no document first, which would cost several times as much. Every change writes tasks, events and messages,
// and every call of a model writes its conversation. The text equals
// the output of dump_line() and dump_indented().
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace team {

class JsonText {
 public:
  enum class Layout { line, indented };
  explicit JsonText(Layout layout = Layout::line) : layout_(layout), text_("{") {}

  void add(std::string_view key, std::string_view text);
  void add(std::string_view key, const char* text) { add(key, std::string_view(text)); }
  void add(std::string_view key, const std::string& text) { add(key, std::string_view(text)); }
  void add(std::string_view key, std::int64_t number);
  void add(std::string_view key, int number) { add(key, std::int64_t{number}); }
  void add(std::string_view key, double number);
  // Accepts only bool: a literal would convert to bool too.
  void add(std::string_view key, std::same_as<bool> auto value) { add_text(key, value ? "true" : "false"); }
  void add(std::string_view key, const std::vector<std::int64_t>& numbers);
  void add(std::string_view key, std::nullptr_t) { add_text(key, "null"); }
  template <class Value>
  void add(std::string_view key, const std::optional<Value>& value) {
    if (value) add(key, *value);
    else add(key, nullptr);
  }
  // `json` is one line, as from dump_line().
  void add_json(std::string_view key, std::string_view json);
  // The same for each key of an object.
  void add_all_of(std::string_view object);

  // Ends the object and returns the text; with the last newline if it is for a file.
  std::string take();

 private:
  void begin(std::string_view key);
  void add_text(std::string_view key, std::string_view text);

  Layout layout_;
  std::string text_;
};

// An array; each element already is JSON.
std::string json_array(const std::vector<std::string>& elements);

// An array of strings.
std::string json_array_of_texts(const std::vector<std::string>& texts);

// With quotes.
void append_quoted(std::string& to, std::string_view text);

}  // namespace team
