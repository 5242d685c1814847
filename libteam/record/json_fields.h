// Reads the fields of a JSON object one by one. An error message contains the position of the wrong field.
//
// A file that only uses this class and JsonText does not include nlohmann/json.hpp, and compiles in a quarter of the
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/base/error.h"
#include "libteam/base/json.h"

namespace team {

class Fields {
 public:
  // Parses the text. Both arguments must outlive this object.
  Fields(std::string_view text, std::string_view file, const JsonLimits& limits = {});
  // For a parsed object. `text` and `file` are used only in messages. All three arguments must outlive this object.
  Fields(const Json& object, std::string_view text, std::string_view file, Code code = Code::corrupt);
  ~Fields();
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;

  bool has(const char* key) const;
  [[noreturn]] void refuse(const char* key, std::string_view expected) const;

  // Each returns none for a missing key and for null, and throws for a value of another type.
  std::optional<std::string> text(const char* key);
  std::optional<std::int64_t> integer(const char* key, std::int64_t from, std::int64_t to);
  std::optional<double> number(const char* key);
  std::optional<bool> boolean(const char* key);
  const Json* object(const char* key);
  const Json* array(const char* key);
  // An object as text on one line.
  std::optional<std::string> object_text(const char* key);
  // An array of strings; `expected` is for the message.
  std::optional<std::vector<std::string>> texts(const char* key, std::string_view expected);

  // Throws for a key that was not read and resembles one of `known`; see meant_key().
  void refuse_misspelt(const std::vector<std::string>& known) const;

  // The keys that were not read, which teamkit does not know: as an object, and as its text on one line.
  Json rest() const;
  std::string rest_text() const;

 private:
  void read(const Json& object);
  const Json* take(const char* key);
  std::size_t find(std::string_view key) const;

  std::unique_ptr<const Json> parsed_;  // none if the caller owns the object
  const Json* object_ = nullptr;
  std::string_view text_;
  std::string_view file_;
  Code code_ = Code::corrupt;
  std::vector<bool> asked_;
  std::size_t next_ = 0;
};

}  // namespace team
