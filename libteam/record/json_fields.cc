#include "libteam/record/json_fields.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "libteam/base/spelling.h"
#include "libteam/base/terminal_text.h"

namespace team {

namespace {

using Members = std::vector<std::pair<const std::string, Json>>;

const Members& members_of(const Json& object) { return object.get_ref<const Json::object_t&>(); }

}  // namespace

Fields::Fields(std::string_view text, std::string_view file, const JsonLimits& limits)
    : parsed_(std::make_unique<const Json>(parse_json(text, file, limits))), text_(text), file_(file) {
  read(*parsed_);
}

Fields::Fields(const Json& object, std::string_view text, std::string_view file, Code code)
    : text_(text), file_(file), code_(code) {
  read(object);
}

Fields::~Fields() = default;

void Fields::read(const Json& object) {
  if (!object.is_object()) fail(code_, "{}: not a JSON object", file_);
  object_ = &object;
  asked_.resize(object.size());
}

bool Fields::has(const char* key) const {
  const Members& members = members_of(*object_);
  const std::size_t place = find(key);
  return place < members.size() && !members[place].second.is_null();
}

void Fields::refuse(const char* key, std::string_view expected) const {
  fail(code_, "{}: '{}' must be {}", locate_key(text_, key, file_), key, expected);
}

std::optional<std::string> Fields::text(const char* key) {
  const Json* value = take(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) refuse(key, "a string");
  return value->get<std::string>();
}

std::optional<std::int64_t> Fields::integer(const char* key, std::int64_t from, std::int64_t to) {
  const Json* value = take(key);
  if (value == nullptr) return std::nullopt;
  const bool is_beyond = value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX;
  const bool is_whole = value->is_number_integer() && !is_beyond;
  const bool fits = is_whole && value->get<std::int64_t>() >= from && value->get<std::int64_t>() <= to;
  if (!fits) refuse(key, fmt::format("a whole number from {} to {}", from, to));
  return value->get<std::int64_t>();
}

std::optional<double> Fields::number(const char* key) {
  const Json* value = take(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number()) refuse(key, "a number");
  return value->get<double>();
}

std::optional<bool> Fields::boolean(const char* key) {
  const Json* value = take(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean()) refuse(key, "true or false");
  return value->get<bool>();
}

const Json* Fields::object(const char* key) {
  const Json* value = take(key);
  if (value != nullptr && !value->is_object()) refuse(key, "an object");
  return value;
}

const Json* Fields::array(const char* key) {
  const Json* value = take(key);
  if (value != nullptr && !value->is_array()) refuse(key, "an array");
  return value;
}

std::optional<std::string> Fields::object_text(const char* key) {
  const Json* value = object(key);
  return value != nullptr ? std::optional(dump_line(*value)) : std::nullopt;
}

std::optional<std::vector<std::string>> Fields::texts(const char* key, std::string_view expected) {
  const Json* values = array(key);
  if (values == nullptr) return std::nullopt;
  std::vector<std::string> texts;
  for (const Json& value : *values) {
    if (!value.is_string()) refuse(key, expected);
    texts.push_back(value.get<std::string>());
  }
  return texts;
}

void Fields::refuse_misspelt(const std::vector<std::string>& known) const {
  const Members& members = members_of(*object_);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::string& key = members[i].first;
    const auto meant = asked_[i] ? std::nullopt : meant_key(key, known);
    if (!meant) continue;
    fail(code_, "{}: unknown key '{}'{}", locate_key(text_, key, file_), one_line(key), suggest(*meant));
  }
}

Json Fields::rest() const {
  Json others = Json::object();
  Members& found = others.get_ref<Json::object_t&>();
  const Members& members = members_of(*object_);
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!asked_[i]) found.push_back(members[i]);
  }
  return others;
}

std::string Fields::rest_text() const {
  const bool all_were_read = std::find(asked_.begin(), asked_.end(), false) == asked_.end();
  return all_were_read ? "{}" : dump_line(rest());
}

const Json* Fields::take(const char* key) {
  const Members& members = members_of(*object_);
  const std::size_t place = find(key);
  if (place == members.size()) return nullptr;
  asked_[place] = true;
  next_ = place + 1;
  const Json& value = members[place].second;
  return value.is_null() ? nullptr : &value;
}

// Starts after the key that was found last, because callers mostly read the keys in the order of the file.
std::size_t Fields::find(std::string_view key) const {
  const Members& members = members_of(*object_);
  const auto is_it = [&](const auto& member) { return member.first == key; };
  const auto start = members.begin() + static_cast<std::ptrdiff_t>(next_);
  auto found = std::find_if(start, members.end(), is_it);
  if (found == members.end()) {
    found = std::find_if(members.begin(), start, is_it);
    if (found == start) found = members.end();
  }
  return static_cast<std::size_t>(found - members.begin());
}

}  // namespace team
