// Rows and columns for a part of a screen: wrapped, cut and filled up to the width that there is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libteam/cli/picture.h"

namespace team {

// Of text that is valid UTF-8.
std::string_view first_character(std::string_view text);

// Exactly so many columns wide: cut with an ellipsis, or filled up.
std::string fit(std::string_view text, std::size_t columns);

// Lines of at most so many columns, broken between words where that is possible.
std::vector<std::string> wrap(std::string_view text, std::size_t columns);

struct TopColumn {
  enum class Side { left, right };
  std::string heading;
  std::size_t most = 0;  // columns of the screen; 0: what is left
  Side side = Side::left;
};

class TopTable {
 public:
  explicit TopTable(std::vector<TopColumn> columns) : columns_(std::move(columns)) {}

  void row(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }
  // The heading and the rows, each `width` columns wide. A column in which no row has anything is left out, and so are
  // columns that there is no room for. `chosen` is the number of the row that stands out; none if it is not there.
  std::vector<Row> draw(std::size_t width, std::size_t chosen) const;

 private:
  std::vector<std::size_t> widths(std::size_t width) const;
  Row line(const std::vector<Cell>& cells, const std::vector<std::size_t>& widths, std::size_t width,
           Span::Ground ground, char mark) const;

  std::vector<TopColumn> columns_;
  std::vector<std::vector<Cell>> rows_;
};

inline constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

}  // namespace team
