#include "libteam/serve/request_body.h"

#include <nlohmann/json.hpp>

#include "libteam/base/number.h"
#include "libteam/base/spelling.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/record/json_fields.h"

namespace team {

namespace {

Json parse_object(const std::string& text, std::string_view name) {
  if (is_blank(text)) return Json::object();
  try {
    return parse_json(text, name);
  } catch (const Error& error) {
    fail(Code::usage, "{}", error.what());
  }
}

TaskId parse_id(std::string_view text) {
  if (text.starts_with('#')) text.remove_prefix(1);
  const auto id = parse_integer(text);
  if (!id || *id < 1 || *id > kLargestTaskId) fail(Code::usage, "'{}' is not the id of a task", one_line(text));
  return *id;
}

}  // namespace

struct RequestBody::Parsed {
  Parsed(std::string given, std::string subject)
      : name(std::move(subject)),
        text(std::move(given)),
        json(parse_object(text, name)),
        fields(json, text, name, Code::usage) {}
  std::string name;
  std::string text;
  Json json;
  Fields fields;
};

RequestBody::RequestBody(const WebRequest& request, std::vector<std::string> keys) : RequestBody(request.body, "body") {
  allow_only(std::move(keys));
}

RequestBody::RequestBody(std::string text, std::string name)
    : parsed_(std::make_unique<Parsed>(std::move(text), std::move(name))) {}

void RequestBody::allow_only(std::vector<std::string> keys) const {
  keys.emplace_back("as");
  for (const auto& item : parsed_->json.items()) {
    if (std::ranges::find(keys, item.key()) != keys.end()) continue;
    const auto meant = meant_key(item.key(), keys);
    if (meant) fail(Code::usage, "{}: unknown key '{}'{}", parsed_->name, one_line(item.key()), suggest(*meant));
  }
}

RequestBody::~RequestBody() = default;

std::optional<std::string> RequestBody::text(const char* key) const { return parsed_->fields.text(key); }

std::optional<std::int64_t> RequestBody::integer(const char* key, std::int64_t from, std::int64_t to) const {
  return parsed_->fields.integer(key, from, to);
}

std::optional<double> RequestBody::number(const char* key) const { return parsed_->fields.number(key); }

std::optional<bool> RequestBody::boolean(const char* key) const { return parsed_->fields.boolean(key); }

std::vector<TaskId> RequestBody::ids(const char* key) const {
  std::vector<TaskId> ids;
  const Json* array = parsed_->fields.array(key);
  if (array == nullptr) return ids;
  for (const Json& one : *array) {
    if (one.is_number_integer()) ids.push_back(parse_id(one.dump()));
    else if (one.is_string()) ids.push_back(parse_id(one.get<std::string>()));
    else parsed_->fields.refuse(key, "a list of task ids");
  }
  return ids;
}

std::vector<std::pair<std::string, std::optional<std::string>>> RequestBody::members(const char* key) const {
  std::vector<std::pair<std::string, std::optional<std::string>>> members;
  const Json* object = parsed_->fields.object(key);
  if (object == nullptr) return members;
  for (const auto& item : object->items()) {
    members.emplace_back(item.key(), item.value().is_null() ? std::nullopt : std::optional(dump_line(item.value())));
  }
  return members;
}

std::optional<std::string> RequestBody::value(const char* key) const {
  const auto found = parsed_->json.find(key);
  if (found == parsed_->json.end() || found->is_null()) return std::nullopt;
  return found->is_string() ? found->get<std::string>() : dump_line(*found);
}

std::optional<TaskId> RequestBody::task(const char* key) const {
  if (!has(key)) return std::nullopt;
  const Json& one = parsed_->json.at(key);
  if (one.is_null()) return std::nullopt;
  if (one.is_number_integer()) return parse_id(one.dump());
  if (one.is_string()) return parse_id(one.get_ref<const std::string&>());
  refuse(key, "the id of a task");
}

std::vector<std::string> RequestBody::texts(const char* key) const {
  if (has(key) && parsed_->json.at(key).is_string()) return {parsed_->json.at(key).get<std::string>()};
  return parsed_->fields.texts(key, "a list of texts").value_or(std::vector<std::string>());
}

std::vector<std::string> RequestBody::lines(const char* key) const {
  std::vector<std::string> lines;
  const Json* array = parsed_->fields.array(key);
  if (array == nullptr) return lines;
  for (const Json& one : *array) {
    if (!one.is_object()) refuse(key, "a list of objects");
    lines.push_back(dump_line(one));
  }
  return lines;
}

void RequestBody::refuse(const char* key, std::string_view expected) const { parsed_->fields.refuse(key, expected); }

std::string RequestBody::json(const char* key) const { return has(key) ? dump_line(parsed_->json.at(key)) : "null"; }

std::string RequestBody::needed_text(const char* key) const {
  auto found = text(key);
  if (!found) fail(Code::usage, "{}: the key '{}' is missing", parsed_->name, key);
  return std::move(*found);
}

TaskId RequestBody::needed_task(const char* key) const {
  const auto found = task(key);
  if (!found) fail(Code::usage, "{}: the key '{}' is missing", parsed_->name, key);
  return *found;
}

bool RequestBody::has(const char* key) const { return parsed_->json.contains(key); }

std::string RequestBody::line(const std::vector<std::string>& without) const {
  Json others = parsed_->json;
  others.erase("as");
  for (const std::string& key : without) others.erase(key);
  return dump_line(others);
}

std::int64_t number_in_query(const WebRequest& request, std::string_view key, std::int64_t otherwise) {
  const auto text = request.find_query(key);
  if (!text) return otherwise;
  const auto number = parse_integer(*text);
  if (!number) fail(Code::usage, "{}: '{}' is not a number from 0 on", key, one_line(*text));
  return *number;
}

bool flag_in_query(const WebRequest& request, std::string_view key) {
  const auto text = request.find_query(key);
  if (!text || *text == "0" || *text == "false") return false;
  if (*text == "1" || *text == "true" || text->empty()) return true;
  fail(Code::usage, "{}: '{}' is neither 1 nor 0", key, one_line(*text));
}

std::optional<std::vector<TaskId>> ids_in_query(const WebRequest& request, std::string_view key) {
  const auto text = request.find_query(key);
  if (!text) return std::nullopt;
  std::vector<TaskId> ids;
  for (const std::string& part : split(*text, ',')) {
    if (!part.empty()) ids.push_back(parse_id(part));
  }
  return ids;
}

TaskId task_in_path(const WebRequest& request) { return parse_id(request.parameters.front()); }

}  // namespace team
