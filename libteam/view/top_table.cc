#include "libteam/view/top_table.h"

#include <algorithm>

#include "libteam/base/columns.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"

namespace team {

namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kMark = 2;       // in front of each row
constexpr std::size_t kLeastRest = 8;  // minimum width of the column that takes the rest

}  // namespace

std::string text_of(const Row& row) {
  std::string text;
  for (const Span& span : row) text += span.text;
  return text;
}

std::string_view first_character(std::string_view text) {
  std::size_t length = std::min<std::size_t>(1, text.size());
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) ++length;
  return text.substr(0, length);
}

std::string fit(std::string_view text, std::size_t width) {
  std::string line = cut_columns(one_line(text), width);
  const std::size_t used = columns(line);
  if (used < width) line.append(width - used, ' ');
  return line;
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  width = std::max<std::size_t>(1, width);
  for (const std::string& part : split(text, '\n')) {
    const std::string line = one_line(part);
    if (line.empty()) lines.emplace_back();
    for (std::size_t start = 0; start < line.size();) {
      std::size_t at = start, used = 0, blank = start;
      while (at < line.size()) {
        const std::string_view character = first_character(std::string_view(line).substr(at));
        const std::size_t wide = columns(character);
        if (used + wide > width) break;
        if (line[at] == ' ') blank = at;
        used += wide;
        at += character.size();
      }
      if (at == line.size()) {
        lines.push_back(line.substr(start));
        break;
      }
      if (line[at] == ' ') blank = at;
      if (at == start) at += first_character(std::string_view(line).substr(at)).size();  // wider than the screen
      const std::size_t end = blank > start ? blank : at;
      lines.push_back(line.substr(start, end - start));
      start = blank > start ? blank + 1 : end;
    }
  }
  return lines;
}

std::vector<std::size_t> TopTable::widths(std::size_t width) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  std::size_t used = kMark;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].most == 0) continue;
    std::size_t widest = 0;
    for (const auto& cells : rows_) {
      if (cells[i].text != "-") widest = std::max(widest, columns(cells[i].text));
    }
    if (widest == 0 && !rows_.empty()) continue;
    const std::size_t wanted = std::min(columns_[i].most, std::max(widest, columns(columns_[i].heading)));
    // The first column may be cut but is never left out.
    if (i > 0 && used + wanted + kGap + kLeastRest > width) continue;
    widths[i] = std::min(wanted, width - std::min(width, used));
    used += widths[i] + kGap;
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].most == 0) widths[i] = width - std::min(width, used);
  }
  return widths;
}

Row TopTable::line(const std::vector<Cell>& cells, const std::vector<std::size_t>& widths, std::size_t width,
                   Span::Ground ground, char mark) const {
  Row row = {{fit(std::string(1, mark) + " ", std::min(kMark, width)), Output::Tone::plain, ground}};
  std::size_t used = std::min(kMark, width);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (widths[i] == 0) continue;
    std::string text = fit(cells[i].text, widths[i]);
    if (columns_[i].side == TopColumn::Side::right) {
      const std::string cut = cut_columns(one_line(cells[i].text), widths[i]);
      text = std::string(widths[i] - columns(cut), ' ') + cut;
    }
    row.push_back({std::move(text), cells[i].tone, ground});
    used += widths[i];
    const std::size_t gap = std::min(kGap, width - used);
    if (gap > 0) row.push_back({std::string(gap, ' '), Output::Tone::plain, ground});
    used += gap;
  }
  if (used < width) row.push_back({std::string(width - used, ' '), Output::Tone::plain, ground});
  return row;
}

std::vector<Row> TopTable::draw(std::size_t width, std::size_t chosen) const {
  const auto widths = this->widths(width);
  std::vector<Cell> headings;
  for (const TopColumn& column : columns_) headings.push_back({column.heading});
  std::vector<Row> drawn = {line(headings, widths, width, Span::Ground::heading, ' ')};
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const bool is_chosen = i == chosen;
    drawn.push_back(
        line(rows_[i], widths, width, is_chosen ? Span::Ground::chosen : Span::Ground::plain, is_chosen ? '>' : ' '));
  }
  return drawn;
}

}  // namespace team
