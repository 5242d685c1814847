// The JSON object in the body of a request. A source file that uses it includes nlohmann/json.hpp by json_fields.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libteam/record/task.h"
#include "libteam/serve/http.h"

namespace team {

// Reads the fields of a body one by one. Every refusal is usage and names the key.
class RequestBody {
 public:
  // An empty body is an empty object. Throws usage for anything but an object, and for a key that is not in `keys` and
  // resembles one of them; `as` is always known.
  RequestBody(const WebRequest& request, std::vector<std::string> keys);
  RequestBody(const RequestBody&) = delete;
  RequestBody& operator=(const RequestBody&) = delete;
  ~RequestBody();

  // None if the key is absent or null.
  std::optional<std::string> text(const char* key) const;
  std::optional<std::int64_t> integer(const char* key, std::int64_t from, std::int64_t to) const;
  std::optional<double> number(const char* key) const;
  std::optional<bool> boolean(const char* key) const;
  std::vector<TaskId> ids(const char* key) const;
  // The keys of an object with their values as JSON text; no value for null.
  std::vector<std::pair<std::string, std::optional<std::string>>> members(const char* key) const;
  // The value as a command line writes it: text as it is, everything else as JSON.
  std::optional<std::string> value(const char* key) const;
  // Throws usage if the key is absent.
  std::string needed_text(const char* key) const;
  bool has(const char* key) const;

  // The object as one line, without the key `as`.
  std::string line() const;
  // The member to act as.
  std::optional<std::string> as() const { return text("as"); }

 private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
};

// A number in the query; `otherwise` if the key is absent. Throws usage.
std::int64_t number_in_query(const WebRequest& request, std::string_view key, std::int64_t otherwise);
bool flag_in_query(const WebRequest& request, std::string_view key);
// Task ids, with commas.
std::optional<std::vector<TaskId>> ids_in_query(const WebRequest& request, std::string_view key);
// The id in the path: "3", "#3". Throws usage.
TaskId task_in_path(const WebRequest& request);

}  // namespace team
