#include "libteam/agent/tools/tool.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <nlohmann/json.hpp>

#include "libteam/base/error.h"
#include "libteam/base/number.h"
#include "libteam/base/spelling.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"

namespace team {

namespace {

constexpr JsonLimits kLimits{.bytes = std::size_t{64} << 20};
constexpr std::size_t kMostErrors = 5;

const Json* find(const Json& object, const std::string& key) {
  const auto found = object.find(key);
  // Models write null for arguments that they leave out.
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::int64_t> integer_of(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    return number <= INT64_MAX ? std::optional(static_cast<std::int64_t>(number)) : std::nullopt;
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_string()) {
    // "#3" is how people and boards write the id of a task.
    const std::string_view text = value.get_ref<const std::string&>();
    return parse_integer(text.starts_with('#') ? text.substr(1) : text);
  }
  if (!value.is_number_float()) return std::nullopt;
  constexpr double kExact = 9007199254740992;  // 2^53: the limit of exact integers in a double
  const auto number = value.get<double>();
  const bool whole = std::abs(number) <= kExact && std::trunc(number) == number;
  return whole ? std::optional(static_cast<std::int64_t>(number)) : std::nullopt;
}

// A short description of a value, which may have megabytes.
std::string show(const Json& value) {
  constexpr std::size_t kMost = 60;
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  if (!value.is_string()) return dump_line(value);
  const auto& text = value.get_ref<const std::string&>();
  return dump_line(Json(cut_characters(text, kMost)));
}

std::string expected(const Json& schema) {
  if (const Json* choices = find(schema, "enum")) {
    std::vector<std::string> names;
    for (const Json& choice : *choices) names.push_back(choice.is_string() ? choice.get<std::string>() : show(choice));
    return "one of " + join(names, ", ");
  }
  const std::string type = schema.value("type", "");
  if (type == "integer") return "an integer";
  if (type == "boolean") return "true or false";
  if (type == "array") return "a list";
  if (type == "object") return "an object";
  return "a " + type;
}

bool is_of_type(const Json& value, const std::string& type) {
  if (type == "string") return value.is_string();
  if (type == "integer") return integer_of(value).has_value();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  return true;
}

// The errors in the arguments of one call.
class ArgumentErrors {
 public:
  void check(const Json& value, const Json& schema, const std::string& where) {
    const Json* choices = find(schema, "enum");
    const bool is_choice = choices == nullptr || std::find(choices->begin(), choices->end(), value) != choices->end();
    if (!is_choice || !is_of_type(value, schema.value("type", ""))) {
      return add(fmt::format("'{}' must be {}, not {}", where, expected(schema), show(value)));
    }
    const Json* least = find(schema, "minimum");
    if (least != nullptr && number_of(value) < least->get<double>()) {
      return add(fmt::format("'{}' must be at least {}, not {}", where, least->dump(), show(value)));
    }
    if (value.is_object()) check_object(value, schema, where + ".");
    const Json* items = value.is_array() ? find(schema, "items") : nullptr;
    if (items == nullptr) return;
    for (std::size_t i = 0; i < value.size(); ++i) check(value[i], *items, fmt::format("{}[{}]", where, i));
  }

  void check_object(const Json& object, const Json& schema, const std::string& prefix) {
    const Json none = Json::object();
    const Json* found = find(schema, "properties");
    const Json& properties = found != nullptr ? *found : none;
    if (const Json* required = find(schema, "required")) {
      for (const Json& key : *required) {
        const auto name = key.get<std::string>();
        if (find(object, name) != nullptr) continue;
        const Json* property = find(properties, name);
        const std::string hint = property != nullptr ? fmt::format(" ({})", expected(*property)) : "";
        add(fmt::format("'{}{}' is missing{}", prefix, name, hint));
      }
    }
    check_names(object, properties, prefix);
    for (const auto& property : properties.items()) {
      const Json* value = find(object, property.key());
      if (value != nullptr) check(*value, property.value(), prefix + property.key());
    }
  }

  // A misspelt parameter would be ignored, and the model would not notice.
  void check_names(const Json& object, const Json& properties, const std::string& prefix) {
    std::vector<std::string> known;
    for (const auto& property : properties.items()) known.push_back(property.key());
    for (const auto& item : object.items()) {
      if (item.value().is_null() || properties.contains(item.key())) continue;
      const std::string name = cut_characters(one_line(item.key()), 64);
      if (const auto meant = meant_key(name, known)) {
        add(fmt::format("there is no '{}{}'{}", prefix, name, suggest(fmt::format("'{}{}'", prefix, *meant))));
      }
    }
  }

  bool any() const { return count_ > 0; }
  std::string text() const {
    const std::string rest = count_ > said_.size() ? fmt::format("; and {} more", count_ - said_.size()) : "";
    return join(said_, "; ") + rest;
  }

 private:
  static double number_of(const Json& value) {
    if (value.is_number()) return value.get<double>();
    return static_cast<double>(integer_of(value).value_or(0));
  }
  void add(std::string error) {
    ++count_;
    if (said_.size() < kMostErrors) said_.push_back(std::move(error));
  }
  std::vector<std::string> said_;
  std::size_t count_ = 0;
};

ToolResult refuse(std::string text) { return {std::move(text), true}; }

ToolResult run_checked(const ToolSpec& spec, const Toolbox::Run& run, std::string_view arguments, int interrupt) {
  Json object;
  try {
    object = parse_json(is_blank(arguments) ? "{}" : arguments, "the arguments", kLimits);
  } catch (const Error& error) {
    return refuse(fmt::format("{}: {}; they must be one JSON object", spec.name, error.what()));
  }
  if (!object.is_object()) {
    return refuse(fmt::format("{}: the arguments must be an object, not {}", spec.name, show(object)));
  }
  ArgumentErrors errors;
  errors.check_object(object, parse_json(spec.schema, spec.name), "");
  if (errors.any()) return refuse(fmt::format("{}: {}", spec.name, errors.text()));
  return run(Arguments(object), interrupt);
}

std::vector<std::string> names_of(const std::vector<ToolSpec>& specs) {
  std::vector<std::string> names;
  for (const ToolSpec& spec : specs) names.push_back(spec.name);
  return names;
}

std::string describe_unknown(std::string_view name, const std::vector<ToolSpec>& specs) {
  const std::string wrong = cut_characters(one_line(repair_utf8(name.substr(0, 400))), 64);
  const auto known = names_of(specs);
  return fmt::format("no tool '{}'{}; there is {}", wrong, did_you_mean(wrong, known),
                     known.empty() ? "none" : join(known, ", "));
}

}  // namespace

std::string Arguments::text(const char* key) const { return find_text(key).value_or(""); }

std::optional<std::string> Arguments::find_text(const char* key) const {
  const Json* value = find(object_, key);
  return value != nullptr && value->is_string() ? std::optional(value->get<std::string>()) : std::nullopt;
}

std::optional<std::int64_t> Arguments::find_integer(const char* key) const {
  const Json* value = find(object_, key);
  return value != nullptr ? integer_of(*value) : std::nullopt;
}

std::optional<double> Arguments::find_number(const char* key) const {
  const Json* value = find(object_, key);
  return value != nullptr && value->is_number() ? std::optional(value->get<double>()) : std::nullopt;
}

std::optional<bool> Arguments::find_flag(const char* key) const {
  const Json* value = find(object_, key);
  return value != nullptr && value->is_boolean() ? std::optional(value->get<bool>()) : std::nullopt;
}

std::vector<std::int64_t> Arguments::integers(const char* key) const {
  std::vector<std::int64_t> found;
  const Json* list = find(object_, key);
  if (list == nullptr || !list->is_array()) return found;
  for (const Json& item : *list) {
    if (const auto number = integer_of(item)) found.push_back(*number);
  }
  return found;
}

const Json* Arguments::find_object(const char* key) const {
  const Json* value = find(object_, key);
  return value != nullptr && value->is_object() ? value : nullptr;
}

std::vector<std::pair<std::string, std::optional<std::string>>> Arguments::entries(const char* key) const {
  std::vector<std::pair<std::string, std::optional<std::string>>> found;
  const Json* object = find(object_, key);
  if (object == nullptr || !object->is_object()) return found;
  for (const auto& item : object->items()) {
    const bool has_value = !item.value().is_null();
    found.emplace_back(item.key(), has_value ? std::optional(dump_line(item.value())) : std::nullopt);
  }
  return found;
}

void Toolbox::add(ToolSpec spec, Run run) {
  parse_json(spec.schema, spec.name);  // throws for a malformed schema, here and not when a model calls
  specs_.push_back(std::move(spec));
  runs_.push_back(std::move(run));
}

void Toolbox::keep_only(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (!has(name)) fail(Code::usage, "{}", describe_unknown(name, specs_));
  }
  std::vector<ToolSpec> specs;
  std::vector<Run> runs;
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (std::find(names.begin(), names.end(), specs_[i].name) == names.end()) continue;
    specs.push_back(std::move(specs_[i]));
    runs.push_back(std::move(runs_[i]));
  }
  specs_ = std::move(specs);
  runs_ = std::move(runs);
}

bool Toolbox::has(std::string_view name) const {
  return std::any_of(specs_.begin(), specs_.end(), [&](const ToolSpec& spec) { return spec.name == name; });
}

ToolResult Toolbox::call(std::string_view name, std::string_view arguments, int interrupt) const {
  const auto spec = std::find_if(specs_.begin(), specs_.end(), [&](const ToolSpec& one) { return one.name == name; });
  ToolResult result;
  try {
    if (spec == specs_.end()) {
      result = refuse(describe_unknown(name, specs_));
    } else if (const auto objection = guarded_.contains(spec->name) ? objection_() : std::nullopt) {
      result = refuse(*objection);
    } else {
      const auto index = static_cast<std::size_t>(spec - specs_.begin());
      result = run_checked(*spec, runs_[index], arguments, interrupt);
    }
  } catch (const Error& error) {
    result = refuse(fmt::format("{}: {}", name_of(error.code()), error.what()));
  } catch (const std::exception& error) {
    result = refuse(fmt::format("{}: {}", spec->name, error.what()));
  }
  result.text = repair_utf8(result.text);
  return result;
}

void Toolbox::close(std::set<std::string> names, std::string reason) {
  guard(std::move(names), [reason = std::move(reason)] { return std::optional(reason); });
}

void Toolbox::guard(std::set<std::string> names, Objection objection) {
  guarded_ = std::move(names);
  objection_ = std::move(objection);
}

}  // namespace team
