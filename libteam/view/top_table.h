// Rows and columns for a part of a screen, wrapped, cut and padded to the available width.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libteam/report/picture.h"

namespace team {

// The bytes of the first character of valid UTF-8 text.
std::string_view first_character(std::string_view text);

// The text cut with an ellipsis or padded to exactly this width.
std::string fit(std::string_view text, std::size_t columns);

// Lines of at most this width, broken between words where possible.
std::vector<std::string> wrap(std::string_view text, std::size_t columns);

struct TopColumn {
  enum class Side { left, right };
  std::string heading;
  std::size_t most = 0;  // maximum width; 0: the rest of the screen
  Side side = Side::left;
};

class TopTable {
 public:
  explicit TopTable(std::vector<TopColumn> columns) : columns_(std::move(columns)) {}

  void row(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }
  // The heading and the rows, each `width` columns wide. Empty columns and columns without room are left out. `chosen`
  // is the number of the highlighted row, if it is visible.
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
