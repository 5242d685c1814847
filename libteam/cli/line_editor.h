// One line of text that somebody types, with a cursor in it.
#pragma once

#include <string>

#include "libteam/cli/picture.h"

namespace team {

class LineEditor {
 public:
  const std::string& text() const { return text_; }
  // Does what the key says; those that mean nothing here do nothing.
  void press(const Key& key);

  // As much of it around the cursor as fits, and where in that the cursor stands.
  struct Shown {
    std::string text;
    std::size_t cursor = 0;  // in columns
  };
  Shown shown(std::size_t columns) const;

 private:
  std::size_t before(std::size_t at) const;
  std::size_t after(std::size_t at) const;

  std::string text_;
  std::size_t at_ = 0;  // in bytes
};

}  // namespace team
