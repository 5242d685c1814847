// Tools of a model, each with a name, a schema of its arguments and a result as text.
//
// Every call gets a result that the model can act on. Unknown tools, invalid arguments and refusals give a result that
// is an error. No text of a model makes a call throw.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libteam/agent/tools/tool_spec.h"
#include "libteam/base/json.h"

namespace team {

struct ToolResult {
  std::string text;
  bool is_error = false;
};

// Arguments of a call that fit the schema of its tool. Required arguments are present.
class Arguments {
 public:
  explicit Arguments(const Json& object) : object_(object) {}
  std::string text(const char* key) const;  // empty if it is missing
  std::optional<std::string> find_text(const char* key) const;
  std::optional<std::int64_t> find_integer(const char* key) const;
  std::optional<double> find_number(const char* key) const;
  std::optional<bool> find_flag(const char* key) const;
  bool flag(const char* key) const { return find_flag(key).value_or(false); }
  std::vector<std::int64_t> integers(const char* key) const;
  // Null if it is missing.
  const Json* find_object(const char* key) const;
  // The keys of an object with the JSON text of their values; none for null.
  std::vector<std::pair<std::string, std::optional<std::string>>> entries(const char* key) const;

 private:
  const Json& object_;
};

class Toolbox {
 public:
  // `interrupt` is a descriptor, or -1. As soon as it is readable, a slow tool stops and says so. A team::Error becomes
  // a result: "conflict: task 3 is owned by backend".
  using Run = std::function<ToolResult(const Arguments& arguments, int interrupt)>;
  // The schema describes an object. It may use these parts of JSON Schema: type (string, integer, number, boolean,
  // array, object), properties, required, items, enum and minimum. An integer may come as a string of digits. An
  // unknown parameter is refused if it resembles a known one (`blocked_by`), else ignored.
  void add(ToolSpec spec, Run run);
  // Removes all other tools. Throws usage, which lists the names, if a tool does not exist.
  void keep_only(const std::vector<std::string>& names);

  // In the order of add().
  const std::vector<ToolSpec>& specs() const { return specs_; }
  bool has(std::string_view name) const;

  // `arguments` is the text that the model wrote.
  ToolResult call(std::string_view name, std::string_view arguments, int interrupt) const;

  // Calls of these tools now return `reason` as an error. An empty set opens all tools.
  void close(std::set<std::string> names, std::string reason);
  // The same, but each call asks `objection` first, and runs if there is none.
  using Objection = std::function<std::optional<std::string>()>;
  void guard(std::set<std::string> names, Objection objection);

 private:
  std::vector<ToolSpec> specs_;
  std::vector<Run> runs_;
  std::set<std::string> guarded_;
  Objection objection_;
};

}  // namespace team
