// Output of a command: data on stdout, all else on stderr. Control characters are escaped on a terminal.
//
// Data is one record a line, tab-separated, or one JSON object a line; on a terminal it is a table. It is buffered and
// written as a whole. If that fails, the command fails.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libteam/base/error.h"

namespace team {

class Output {
 public:
  static constexpr int kDescriptor = 1;  // stdout

  Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // True if stdout is a terminal: then the output has tables and colours.
  bool is_terminal() const { return terminal_; }
  std::size_t width() const { return width_; }

  void line(std::string_view text);
  void text(std::string_view text);
  // Writes all buffered output; a failure is remembered.
  void flush();
  // True if a write failed: the reader went away, or the disk is full.
  bool failed() const { return error_ != 0; }
  // True if nobody reads the output any more.
  bool is_deserted() const;
  // Flushes. False if the reader went away: then output since the last flush may be lost. Throws io for any other
  // failure.
  bool deliver();
  // Throws io if a write failed, also if the reader went away.
  void check() const;
  // Throws io if a write failed. With `may_leave`, a reader that went away is not an error: for commands that only
  // read.
  enum class Reader { may_leave, must_stay };
  void finish(Reader reader);

  // Colours, where the terminal has them.
  enum class Tone { plain, strong, faint, good, bad, busy, waiting };
  std::string paint(std::string_view text, Tone tone) const;

 private:
  std::string buffer_;
  bool terminal_ = false;
  bool colour_ = false;
  std::size_t width_ = 80;
  int error_ = 0;
};

struct Cell {
  std::string text;
  Output::Tone tone = Output::Tone::plain;
};

// Columns for a person, lines for a program. The last column gets the rest of the terminal's width and is cut there.
class Table {
 public:
  Table(Output& out, std::vector<std::string> headings) : out_(out), headings_(std::move(headings)) {}
  void row(std::vector<Cell> cells);
  // Prints the table, which a terminal gets at the end.
  void finish();

 private:
  void print_row(const std::vector<Cell>& cells, const std::vector<std::size_t>& widths);

  Output& out_;
  std::vector<std::string> headings_;
  std::vector<std::vector<Cell>> rows_;
};

// Writes one line to stderr, with the name of the program in front.
void warn(std::string_view text);

}  // namespace team
