// Assembles typed bytes into characters. The bytes arrive one by one and may not be UTF-8.
#pragma once

#include <deque>
#include <optional>
#include <string>

namespace team {

class TypedBytes {
 public:
  void add(char byte) { bytes_.push_back(byte); }
  // The next complete character, in UTF-8; U+FFFD for a byte that is not UTF-8. None while a character is incomplete.
  std::optional<std::string> take();
  void clear() { bytes_.clear(); }

 private:
  std::deque<char> bytes_;
};

}  // namespace team
