// What the fuzzers share. Each has one function, LLVMFuzzerTestOneInput: it gives its input to a parser and requires
// what must hold whatever the bytes are. libFuzzer calls it (scripts/torture.d/fuzz), and so does replay.cc (make
// check).
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

// Ends the process: the input is kept by whoever called.
[[noreturn]] void breaks(const char* property, const char* file, int line);

inline std::string_view text_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

// How a call was refused; none if it was not. Whatever is thrown beside team::Error comes out and ends the process.
template <class Call>
std::optional<Error> refusal(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

// A refusal that may follow from what stands in a file: `corrupt`, in one line.
template <class Call>
bool is_taken(Call call, Code code = Code::corrupt) {
  const auto error = refusal(call);
  if (!error) return true;
  if (error->code() != code || std::string_view(error->what()).empty()) breaks(error->what(), "refused as", 0);
  return false;
}

// The first bytes of an input decide what is done with the rest.
class Source {
 public:
  explicit Source(std::string_view bytes) : rest_(bytes) {}
  // 0 at the end.
  std::uint8_t byte();
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : byte() % limit; }
  std::uint32_t number();
  // Up to the next zero byte or the end.
  std::string_view piece();
  std::string_view take(std::size_t most);
  bool is_empty() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

// Written by hand from the Unicode standard, so that it does not share a fault with what it judges.
bool is_utf8(std::string_view text);
// No byte of it moves a cursor, changes a colour or turns a line around; newlines and tabs as the caller says.
bool drives_no_terminal(std::string_view text, std::string_view allowed = "");

bool is_json(std::string_view text);
// Whether both are objects and each key of `before` that `known`, another object, does not have stands in `after` with
// the same value.
bool keeps_unknown_keys(std::string_view before, std::string_view after, std::string_view known,
                        std::initializer_list<std::string_view> also_known = {});
// Whether a text of JSON nests deeper than this.
bool is_deeper_than(std::string_view text, std::size_t levels);
// A string of an object; none if it is not there.
std::optional<std::string> string_in(std::string_view json, const char* key);

// A folder of this process, in memory where there is such a place; it goes with the process.
const std::string& scratch();
void put_file(const std::string& path, std::string_view text);
std::optional<std::string> get_file(const std::string& path);
// Removes a folder with all that is in it and makes it anew.
void make_empty(const std::string& path);
// All that is beneath: names, kinds and contents.
std::string snapshot_of(const std::string& path);

}  // namespace team::fuzz

#define REQUIRE(condition) \
  if (!(condition)) team::fuzz::breaks(#condition, __FILE__, __LINE__)
