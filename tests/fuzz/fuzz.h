// Shared code of the fuzzers. Each fuzzer has one function, LLVMFuzzerTestOneInput. It passes its input to a parser and
// requires properties that hold for any bytes. Both libFuzzer (scripts/torture.d/fuzz) and replay.cc (make check)
// call it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "libteam/base/error.h"
#include "libteam/system/file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace team::fuzz {

// Ends the process. The caller of the fuzzer keeps the input.
[[noreturn]] void report_violation(const char* property, const char* file, int line);

inline std::string_view text_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

// The Error that a call threw; none if it threw nothing. Other exceptions pass through and end the process.
template <class Call>
std::optional<Error> refusal(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

// True if the call accepts its input. Ends the process if the refusal has another code or no message.
template <class Call>
bool is_accepted(Call call, Code code = Code::corrupt) {
  const auto error = refusal(call);
  if (!error) return true;
  if (error->code() != code || std::string_view(error->what()).empty())
    report_violation(error->what(), "refused as", 0);
  return false;
}

// The first bytes of an input select the action for the rest.
class Source {
 public:
  explicit Source(std::string_view bytes) : rest_(bytes) {}
  // Returns 0 at the end.
  std::uint8_t byte();
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : byte() % limit; }
  std::uint32_t number();
  // The bytes up to the next zero byte or the end.
  std::string_view piece();
  std::string_view take(std::size_t most);
  bool is_empty() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

// Written from the Unicode standard, so that it does not share a fault with the tested code.
bool is_utf8(std::string_view text);
// True if no byte moves a cursor, changes a colour or reverses a line. `allowed` lists exceptions, such as newlines.
bool is_safe_for_terminal(std::string_view text, std::string_view allowed = "");

bool is_json(std::string_view text);
// True if both are objects and `after` has the same value for each key of `before` that the object `known` lacks.
bool keeps_unknown_keys(std::string_view before, std::string_view after, std::string_view known,
                        std::initializer_list<std::string_view> also_known = {});
// True if the JSON text nests deeper than this.
bool is_deeper_than(std::string_view text, std::size_t levels);
// A string value of an object; none if there is none.
std::optional<std::string> string_in(std::string_view json, const char* key);

// A folder of this process, in memory if possible, which is removed with the process.
const std::string& scratch();
void put_file(const std::string& path, std::string_view text);
std::optional<std::string> get_file(const std::string& path);
// Removes a folder with its contents and creates it again.
void make_empty(const std::string& path);
// The names, kinds and contents of everything below the folder.
std::string snapshot_of(const std::string& path);

}  // namespace team::fuzz

#define REQUIRE(condition) \
  if (!(condition)) team::fuzz::report_violation(#condition, __FILE__, __LINE__)
