// Reading the fields of a JSON object one by one, with a message that says where a wrong one stands.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/base/error.h"
#include "libteam/base/json.h"

namespace team {

class Fields {
 public:
  // `text` and `file` only serve the messages; they and `object` outlive this.
  Fields(const Json& object, std::string_view text, std::string_view file, Code code = Code::corrupt)
      : object_(object), text_(text), file_(file), code_(code) {
    if (!object.is_object()) fail(code_, "{}: not a JSON object", file_);
  }

  bool has(const char* key) const { return object_.contains(key) && !object_[key].is_null(); }

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
    const bool fits = value->is_number_integer() && *value >= from && *value <= to;
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

  // Null where there is none; checked to be an object.
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

  // What nobody asked for: the keys of somebody else.
  Json rest() const {
    Json others = Json::object();
    auto& object = others.get_ref<Json::object_t&>();
    for (const auto& item : object_.items()) {
      bool known = false;
      for (const char* key : known_) known = known || item.key() == key;
      // Appended without a search: the keys of an object differ.
      if (!known) object.std::vector<std::pair<const std::string, Json>>::emplace_back(item.key(), item.value());
    }
    return others;
  }

 private:
  const Json* take(const char* key) {
    known_.push_back(key);
    const auto found = object_.find(key);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }

  const Json& object_;
  std::string_view text_;
  std::string_view file_;
  Code code_;
  std::vector<const char*> known_;
};

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace team
