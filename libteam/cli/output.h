// What a command says: data on stdout, all else on stderr. Characters that control a terminal are escaped on one.
//
// Data is one record a line, tab-separated, or one JSON object a line; on a terminal a table. It is buffered and
// written whole: if that fails, the command did not succeed.
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

  // Whether a person looks at stdout: tables and colour.
  bool is_terminal() const { return terminal_; }
  std::size_t width() const { return width_; }

  void line(std::string_view text);
  void text(std::string_view text);
  // Everything said so far reaches the reader, or is known to have failed.
  void flush();
  // Whether something could not be written: a reader that went away, a full disk.
  bool failed() const { return error_ != 0; }
  // Whether nobody reads any more what we would say.
  bool is_deserted() const;
  // Flushes. False if the reader went away: then what was said since the last flush may not have arrived. Throws io for
  // any other failure.
  bool deliver();
  // Throws io if something could not be written, also because the reader went away.
  void check() const;
  // Throws io if something could not be written; a reader that went away is no failure for who only reads.
  enum class Reader { may_leave, must_stay };
  void finish(Reader reader);

  // In colour where there is colour.
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

// Columns for a person, lines for a program. The last column takes the rest of the terminal and is cut there.
class Table {
 public:
  Table(Output& out, std::vector<std::string> headings) : out_(out), headings_(std::move(headings)) {}
  void row(std::vector<Cell> cells);
  // Prints what a terminal waits for.
  void finish();

 private:
  void print_row(const std::vector<Cell>& cells, const std::vector<std::size_t>& widths);

  Output& out_;
  std::vector<std::string> headings_;
  std::vector<std::vector<Cell>> rows_;
};

// The program's name in front, as one line on stderr.
void warn(std::string_view text);

}  // namespace team
