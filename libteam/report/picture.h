// The contents of a screen and typed keys as values, so that both can be made and tested without a terminal.
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
  std::optional<Spot> cursor;  // where the user types
};

// The text of a row, without its style.
std::string text_of(const Row& row);

struct Key {
  enum class Kind {
    character,  // `text` is which
    pasted,     // a character from a paste: always text, never a command
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
