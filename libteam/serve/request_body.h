// The JSON object in the body of a request to the server, or in a line of team-batch. A source file that uses it
// includes nlohmann/json.hpp by json_fields.h.
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
  // The same for any text; `name` stands in front of every message, and allow_only() checks the keys later.
  RequestBody(std::string text, std::string name);
  RequestBody(const RequestBody&) = delete;
  RequestBody& operator=(const RequestBody&) = delete;
  ~RequestBody();

  // Throws usage for a key that is not in `keys` and resembles one of them; `as` is always known.
  void allow_only(std::vector<std::string> keys) const;

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
  // Ids, as numbers or as "3" and "#3"; none if the key is absent.
  std::optional<TaskId> task(const char* key) const;
  // An array of texts, or one text; none of either gives an empty list.
  std::vector<std::string> texts(const char* key) const;
  // Each object of an array as one line.
  std::vector<std::string> lines(const char* key) const;
  // The value as JSON; null if the key is absent.
  std::string json(const char* key) const;
  // These throw usage if the key is absent.
  std::string needed_text(const char* key) const;
  TaskId needed_task(const char* key) const;
  bool has(const char* key) const;
  // Throws usage: the key must be `expected`.
  [[noreturn]] void refuse(const char* key, std::string_view expected) const;

  // The object as one line, without the key `as` and these.
  std::string line(const std::vector<std::string>& without = {}) const;
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
