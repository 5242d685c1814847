// An editor for one line of text, with a cursor.
#pragma once

#include <string>

#include "libteam/report/picture.h"

namespace team {

class LineEditor {
 public:
  const std::string& text() const { return text_; }
  // Applies a key; other keys are ignored.
  void press(const Key& key);

  // The part of the text around the cursor that fits, and the position of the cursor in it.
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
