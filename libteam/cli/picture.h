// What is on a screen and what is typed at it, as values: no terminal is needed to make one or to look at one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "libteam/cli/output.h"

namespace team {

struct Size {
  std::size_t rows = 0, columns = 0;
};

// A piece of a row. Its text has no control characters.
struct Span {
  enum class Ground { plain, chosen, heading, bar };
  std::string text;
  Output::Tone tone = Output::Tone::plain;
  Ground ground = Ground::plain;
};

using Row = std::vector<Span>;

struct Spot {
  std::size_t row = 0, column = 0;
};

struct Picture {
  std::vector<Row> rows;
  std::optional<Spot> cursor;  // where somebody types
};

// The text of a row, without how it looks.
std::string text_of(const Row& row);

struct Key {
  enum class Kind {
    character,  // `text` is which
    pasted,     // the same, from a paste: text and never a command
    enter,
    escape,
    tab,
    back_tab,
    up,
    down,
    left,
    right,
    page_up,
    page_down,
    home,
    end,
    backspace,
    remove,
    erase_word,
    erase_line,
    interrupt,
    suspend,
    redraw,
    other,
  };
  Kind kind = Kind::other;
  std::string text;
};

}  // namespace team
