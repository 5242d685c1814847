#include "libteam/cli/output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "libteam/base/columns.h"
#include "libteam/base/terminal_text.h"
#include "libteam/system/file.h"
#include "libteam/system/watch.h"

namespace team {

namespace {

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

std::string_view escape_of(Output::Tone tone) {
  switch (tone) {
    case Output::Tone::plain: return "";
    case Output::Tone::strong: return "\x1b[1m";
    case Output::Tone::faint: return "\x1b[2m";
    case Output::Tone::good: return "\x1b[32m";
    case Output::Tone::bad: return "\x1b[31m";
    case Output::Tone::busy: return "\x1b[33m";
    case Output::Tone::waiting: return "\x1b[36m";
  }
  return "";
}

}  // namespace

Output::Output() : terminal_(::isatty(STDOUT_FILENO) == 1) {
  if (!terminal_) return;
  const char* plain = std::getenv("NO_COLOR");
  const char* kind = std::getenv("TERM");
  colour_ = (plain == nullptr || *plain == '\0') && (kind == nullptr || std::strcmp(kind, "dumb") != 0);
  width_ = terminal_width();
}

void Output::text(std::string_view text) {
  constexpr std::size_t kFull = 65536;
  buffer_.append(text);
  if (buffer_.size() >= kFull) flush();
}

void Output::line(std::string_view text) {
  this->text(text);
  this->text("\n");
}

void Output::flush() {
  if (terminal_) buffer_ = escape_for_terminal(buffer_);
  if (error_ == 0 && !write_all(STDOUT_FILENO, buffer_)) error_ = errno;
  buffer_.clear();
}

void Output::finish(Reader reader) {
  flush();
  if (error_ == 0 || (error_ == EPIPE && reader == Reader::may_leave)) return;
  const Code code = reader == Reader::may_leave ? Code::io : Code::unknown;
  fail(code, "{}cannot write to stdout: {}", code == Code::unknown ? "the change is made, but " : "",
       std::strerror(error_));
}

bool Output::is_deserted() const { return error_ == EPIPE || team::is_deserted(STDOUT_FILENO); }

bool Output::deliver() {
  flush();
  if (error_ == EPIPE) return false;
  check();
  return true;
}

void Output::check() const {
  if (error_ != 0) fail(Code::io, "cannot write to stdout: {}", std::strerror(error_));
}

std::string Output::paint(std::string_view text, Tone tone) const {
  if (!colour_ || tone == Tone::plain || text.empty()) return std::string(text);
  return fmt::format("{}{}\x1b[0m", escape_of(tone), text);
}

void Table::row(std::vector<Cell> cells) {
  if (out_.is_terminal()) {
    rows_.push_back(std::move(cells));
    return;
  }
  std::string line;
  for (const Cell& cell : cells) {
    if (&cell != &cells.front()) line.push_back('\t');
    line.append(one_line(cell.text));
  }
  out_.line(line);
}

void Table::finish() {
  if (!out_.is_terminal() || rows_.empty()) return;
  std::vector<std::size_t> widths;
  for (const std::string& heading : headings_) widths.push_back(columns(heading));
  for (auto& cells : rows_) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      cells[i].text = one_line(cells[i].text);
      widths[i] = std::max(widths[i], columns(cells[i].text));
    }
  }
  std::vector<Cell> heading;
  for (const std::string& text : headings_) heading.push_back({text, Output::Tone::faint});
  print_row(heading, widths);
  for (const auto& cells : rows_) print_row(cells, widths);
}

void Table::print_row(const std::vector<Cell>& cells, const std::vector<std::size_t>& widths) {
  constexpr std::size_t kGap = 2;
  constexpr std::size_t kLeast = 8;  // columns of the last column, even on a narrow terminal
  std::string line;
  std::size_t used = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool last = i + 1 == cells.size();
    const std::size_t room = last ? std::max(kLeast, out_.width() - std::min(out_.width(), used)) : widths[i];
    const std::string text = cut_columns(cells[i].text, room);
    line.append(out_.paint(text, cells[i].tone));
    if (!last) line.append(widths[i] - columns(text) + kGap, ' ');
    used += widths[i] + kGap;
  }
  out_.line(line);
}

void warn(std::string_view text) {
  const std::string line = fmt::format("{}: {}\n", program_invocation_short_name, one_line(text));
  write_all(STDERR_FILENO, line);
}

}  // namespace team
