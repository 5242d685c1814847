// Reads the fields of a JSON object one by one. An error message contains the position of the wrong field.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/base/error.h"
#include "libteam/base/json.h"
#include "libteam/base/spelling.h"
#include "libteam/base/terminal_text.h"

namespace team {

class Fields {
 public:
  // `text` and `file` are used only in messages. All three arguments must outlive this object.
  Fields(const Json& object, std::string_view text, std::string_view file, Code code = Code::corrupt)
      : text_(text), file_(file), code_(code) {
    if (!object.is_object()) fail(code_, "{}: not a JSON object", file_);
    members_ = &object.get_ref<const Json::object_t&>();
    asked_.resize(members_->size());
  }

  bool has(const char* key) const {
    const std::size_t place = find(key);
    return place < members_->size() && !(*members_)[place].second.is_null();
  }

  [[noreturn]] void refuse(const char* key, std::string_view expected) const {
    fail(code_, "{}: '{}' must be {}", locate_key(text_, key, file_), key, expected);
  }

  std::optional<std::string> text(const char* key) {
    const Json* value = take(key);
    if (value == nullptr) return std::nullopt;
    if (!value->is_string()) refuse(key, "a string");
    return value->get<std::string>();
  }

  std::optional<std::int64_t> integer(const char* key, std::int64_t from, std::int64_t to) {
    const Json* value = take(key);
    if (value == nullptr) return std::nullopt;
    const bool is_beyond = value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX;
    const bool is_whole = value->is_number_integer() && !is_beyond;
    const bool fits = is_whole && value->get<std::int64_t>() >= from && value->get<std::int64_t>() <= to;
    if (!fits) refuse(key, fmt::format("a whole number from {} to {}", from, to));
    return value->get<std::int64_t>();
  }

  std::optional<double> number(const char* key) {
    const Json* value = take(key);
    if (value == nullptr) return std::nullopt;
    if (!value->is_number()) refuse(key, "a number");
    return value->get<double>();
  }

  std::optional<bool> boolean(const char* key) {
    const Json* value = take(key);
    if (value == nullptr) return std::nullopt;
    if (!value->is_boolean()) refuse(key, "true or false");
    return value->get<bool>();
  }

  // Null if there is no such key. Throws if the value is not an object.
  const Json* object(const char* key) {
    const Json* value = take(key);
    if (value != nullptr && !value->is_object()) refuse(key, "an object");
    return value;
  }

  const Json* array(const char* key) {
    const Json* value = take(key);
    if (value != nullptr && !value->is_array()) refuse(key, "an array");
    return value;
  }

  // Throws for a key that was not read and resembles one of `known`; see meant_key().
  void refuse_misspelt(const std::vector<std::string>& known) const {
    for (std::size_t i = 0; i < members_->size(); ++i) {
      const std::string& key = (*members_)[i].first;
      const auto meant = asked_[i] ? std::nullopt : meant_key(key, known);
      if (!meant) continue;
      fail(code_, "{}: unknown key '{}'{}", locate_key(text_, key, file_), one_line(key), suggest(*meant));
    }
  }

  // The keys that were not read: keys that teamkit does not know.
  Json rest() const {
    Json others = Json::object();
    Members& found = others.get_ref<Json::object_t&>();
    for (std::size_t i = 0; i < members_->size(); ++i) {
      if (!asked_[i]) found.push_back((*members_)[i]);
    }
    return others;
  }

 private:
  using Members = std::vector<std::pair<const std::string, Json>>;

  const Json* take(const char* key) {
    const std::size_t place = find(key);
    if (place == members_->size()) return nullptr;
    asked_[place] = true;
    next_ = place + 1;
    const Json& value = (*members_)[place].second;
    return value.is_null() ? nullptr : &value;
  }

  // Starts after the key that was found last, because callers mostly read the keys in the order of the file.
  std::size_t find(std::string_view key) const {
    const auto is_it = [&](const auto& member) { return member.first == key; };
    const auto start = members_->begin() + static_cast<std::ptrdiff_t>(next_);
    auto found = std::find_if(start, members_->end(), is_it);
    if (found == members_->end()) {
      found = std::find_if(members_->begin(), start, is_it);
      if (found == start) found = members_->end();
    }
    return static_cast<std::size_t>(found - members_->begin());
  }

  const Members* members_ = nullptr;
  std::string_view text_;
  std::string_view file_;
  Code code_;
  std::vector<bool> asked_;
  std::size_t next_ = 0;
};

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace team
