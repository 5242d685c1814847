// Characters from bytes that somebody types, which come one by one and may be no UTF-8 at all.
#pragma once

#include <deque>
#include <optional>
#include <string>

namespace team {

class TypedBytes {
 public:
  void add(char byte) { bytes_.push_back(byte); }
  // The next whole character, in UTF-8; U+FFFD for a byte that belongs to none. None while the rest of a character has
  // not come yet.
  std::optional<std::string> take();
  void clear() { bytes_.clear(); }

 private:
  std::deque<char> bytes_;
};

}  // namespace team
