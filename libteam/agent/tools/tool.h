// What a model may do: tools with a name, a schema of their arguments and an answer in words.
//
// Whatever a model asks for, it gets a result that it can act on: an unknown tool, arguments that are no JSON or of the
// wrong type and every refusal come back as a result that is an error. Nothing a model says makes a call throw.
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

// Arguments of a call that fit the schema of its tool. What the schema requires is there.
class Arguments {
 public:
  explicit Arguments(const Json& object) : object_(object) {}
  std::string text(const char* key) const;  // empty if it is not there
  std::optional<std::string> find_text(const char* key) const;
  std::optional<std::int64_t> find_integer(const char* key) const;
  std::optional<double> find_number(const char* key) const;
  std::optional<bool> find_flag(const char* key) const;
  bool flag(const char* key) const { return find_flag(key).value_or(false); }
  std::vector<std::int64_t> integers(const char* key) const;
  // The keys of an object with the JSON text of their values; null gives none.
  std::vector<std::pair<std::string, std::optional<std::string>>> entries(const char* key) const;

 private:
  const Json& object_;
};

class Toolbox {
 public:
  // `interrupt` is a descriptor, or -1: as soon as it can be read from, a tool that takes its time stops and says so.
  // A team::Error that it throws becomes a result: "conflict: task 3 is owned by backend".
  using Run = std::function<ToolResult(const Arguments& arguments, int interrupt)>;
  // The schema is one of an object; of JSON Schema it may use type (string, integer, number, boolean, array, object),
  // properties, required, items, enum and minimum. An integer may come as a string of digits. A parameter that the
  // schema does not have is refused if it resembles one that it has (`blocked_by`), else ignored.
  void add(ToolSpec spec, Run run);
  // Leaves out all others. Throws usage, with the names there are, for one that there is not.
  void keep_only(const std::vector<std::string>& names);

  // In the order in which they were added.
  const std::vector<ToolSpec>& specs() const { return specs_; }
  bool has(std::string_view name) const;

  // `arguments` as the model wrote them.
  ToolResult call(std::string_view name, std::string_view arguments, int interrupt) const;

  // From now on these are answered by `reason`, as an error; none of them: nothing is closed.
  void close(std::set<std::string> names, std::string reason);
  // The same, but `objection` is asked before each call of one of them: none, and it is run.
  using Objection = std::function<std::optional<std::string>()>;
  void guard(std::set<std::string> names, Objection objection);

 private:
  std::vector<ToolSpec> specs_;
  std::vector<Run> runs_;
  std::set<std::string> guarded_;
  Objection objection_;
};

}  // namespace team
