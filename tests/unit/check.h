// The minimum for a unit test: CHECK a condition, expect an Error, report the number of checks.
#pragma once

#include <cstdio>

#include "libteam/base/error.h"

namespace team::test {

inline int passed = 0;
inline int failed = 0;

inline void check(bool holds, const char* text, const char* file, int line) {
  if (holds) {
    ++passed;
    return;
  }
  ++failed;
  std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, text);
}

template <class Call>
bool fails_with(Code code, Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code() == code;
  }
  return false;
}

template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

inline int report() {
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace team::test

#define CHECK(condition) team::test::check(static_cast<bool>(condition), #condition, __FILE__, __LINE__)
