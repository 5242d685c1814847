#include "libteam/base/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>
#include <vector>

#include "libteam/base/error.h"
#include "libteam/base/text.h"

namespace team {

namespace {

std::string position(std::string_view text, std::size_t byte, std::string_view subject) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t start = before.rfind('\n');
  const std::size_t column = start == std::string_view::npos ? before.size() + 1 : before.size() - start;
  return fmt::format("{}:{}:{}", subject, line, column);
}

// Reads a text and leaves behind how far it came.
class Tracked {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Tracked(const char* at, const char*& reached) : at_(at), reached_(&reached) {}
  reference operator*() const { return *at_; }
  Tracked& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  bool operator==(const Tracked& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  const char** reached_;
};

// Builds the document and stops at the first thing that the limits forbid; `reason` then says what.
class Builder : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(std::size_t deepest) : deepest_(deepest) {}

  Json root;
  std::string reason;
  std::optional<std::size_t> error_byte;  // where, if the lexer told
  std::string error_token;                // else what was read last

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t& text) override {
    // The lexer turns an integer that does not fit into a float: an id that silently became another number.
    if (text.find_first_of(".eE") == string_t::npos) return refuse("number {} is out of range", text);
    return add(value);
  }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return refuse("binary data {}", ""); }

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool key(string_t& name) override {
    Level& level = levels_.back();
    if (level.large.empty()) {
      if (level.value->contains(name)) return refuse("duplicate key {}", quote(name));
      constexpr std::size_t kSmallObject = 64;
      if (level.value->size() >= kSmallObject) {
        for (const auto& item : level.value->items()) level.large.insert(item.key());
      }
    }
    if (!level.large.empty() && !level.large.insert(name).second) return refuse("duplicate key {}", quote(name));
    level.key = std::move(name);
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t byte, const std::string& token, const nlohmann::detail::exception& error) override {
    error_byte = byte > 0 ? byte - 1 : 0;
    reason = describe(error.what(), token);
    return false;
  }

 private:
  struct Level {
    Json* value;
    std::string key;
    std::unordered_set<std::string> large;  // keys seen, once the object is too large to look through
  };
  std::size_t deepest_;
  std::vector<Level> levels_;

  bool refuse(fmt::format_string<const std::string&> why, const std::string& token) {
    reason = fmt::format(why, token);
    error_token = token;
    return false;
  }
  static std::string quote(const std::string& name) { return fmt::format("\"{}\"", name); }

  // nlohmann's text is `[json.exception…] parse error at line 1, column 2: syntax error while … - what; …`: keep the
  // what.
  static std::string describe(std::string_view what, const std::string& token) {
    const std::size_t dash = what.find(" - ");
    std::string_view text = dash == std::string_view::npos ? what.substr(what.rfind(": ") + 1) : what.substr(dash + 3);
    text = text.substr(0, text.find("; last read"));
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    if (text.empty()) return fmt::format("syntax error near '{}'", one_line(token));
    return cut_characters(one_line(text), 120);
  }

  template <class Value>
  Json* place(Value&& value) {
    if (levels_.empty()) {
      root = std::forward<Value>(value);
      return &root;
    }
    Json& parent = *levels_.back().value;
    if (parent.is_array()) {
      parent.emplace_back(std::forward<Value>(value));
      return &parent.back();
    }
    // The key is new (see key()), so it is appended without another search.
    auto& object = parent.get_ref<Json::object_t&>();
    object.std::vector<std::pair<const std::string, Json>>::emplace_back(std::move(levels_.back().key),
                                                                         std::forward<Value>(value));
    return &object.back().second;
  }
  template <class Value>
  bool add(Value&& value) {
    place(std::forward<Value>(value));
    return true;
  }
  bool open(Json container) {
    if (levels_.size() >= deepest_) {
      reason = fmt::format("deeper than {} levels", deepest_);
      error_token = container.is_array() ? "[" : "{";
      return false;
    }
    Json* placed = place(std::move(container));
    levels_.push_back({placed, {}, {}});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return true;
  }
};

}  // namespace

Json parse_json(std::string_view text, std::string_view subject, const JsonLimits& limits) {
  if (text.size() > limits.bytes) fail(Code::corrupt, "{}: larger than {} bytes", subject, limits.bytes);
  const std::string repaired = repair_utf8(text);
  Builder builder(limits.depth);
  const char* reached = repaired.data();
  const Tracked begin(reached, reached), end(repaired.data() + repaired.size(), reached);
  if (!Json::sax_parse(begin, end, &builder)) {
    // The lexer tells where it stopped only through its own errors; ours are about what it read last, if need be with
    // the character that ended it. A key may be written in another way than it reads: then it ends there.
    const std::string_view read(repaired.data(), static_cast<std::size_t>(reached - repaired.data()));
    const std::size_t found = read.rfind(builder.error_token);
    const bool is_last = found != std::string_view::npos && found + builder.error_token.size() + 1 >= read.size();
    const std::size_t last = is_last ? found : read.size() - 1;
    fail(Code::corrupt, "{}: {}", position(repaired, builder.error_byte.value_or(last), subject), builder.reason);
  }
  return std::move(builder.root);
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
