#include "libteam/view/screen.h"

#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1
#include <ncursesw/curses.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cwchar>

#include "libteam/base/columns.h"
#include "libteam/base/environment_variable.h"
#include "libteam/base/terminal_text.h"
#include "libteam/system/file.h"
#include "libteam/view/typed_bytes.h"

// From <term.h>. The header itself defines macros for many common words.
extern "C" int setupterm(const char* kind, int fd, int* error);

namespace team {

namespace {

constexpr int kEscapeDelay = 25;   // ms to wait for the rest of an escape sequence
constexpr int kLargestByte = 255;  // larger results of getch() are codes of keys

// The terminal sends these codes around a paste if it is asked to.
constexpr int kPasteStarts = KEY_MAX + 1000, kPasteEnds = kPasteStarts + 1;
constexpr const char* kMarkPastes = "\x1b[?2004h";
constexpr const char* kDoNotMarkPastes = "\x1b[?2004l";

void tell_terminal(const char* sequence) {
  std::fputs(sequence, stdout);
  std::fflush(stdout);
}

enum Colour : short { kGood = 1, kBad, kBusy, kWaiting };

attr_t attributes_of(const Span& span, bool colour) {
  attr_t attributes = A_NORMAL;
  switch (span.ground) {
    case Span::Ground::plain: break;
    case Span::Ground::chosen:
    case Span::Ground::bar: attributes |= A_REVERSE; break;
    case Span::Ground::heading: attributes |= A_BOLD | A_UNDERLINE; break;
  }
  // Colours on a reversed background are hard to read.
  const bool paint = colour && span.ground != Span::Ground::chosen;
  switch (span.tone) {
    case Output::Tone::plain: break;
    case Output::Tone::strong: attributes |= A_BOLD; break;
    case Output::Tone::faint: attributes |= paint ? A_DIM : 0; break;
    case Output::Tone::good: attributes |= paint ? COLOR_PAIR(kGood) : 0; break;
    case Output::Tone::bad: attributes |= paint ? COLOR_PAIR(kBad) : A_BOLD; break;
    case Output::Tone::busy: attributes |= paint ? COLOR_PAIR(kBusy) : 0; break;
    case Output::Tone::waiting: attributes |= paint ? COLOR_PAIR(kWaiting) : 0; break;
  }
  return attributes;
}

// Replaces characters that the C library cannot show by a placeholder, and characters that change the direction of text
// by a blank.
std::wstring widen(std::string_view untrusted) {
  constexpr wchar_t kReplacement = 0xFFFD;
  const std::string safe = one_line(untrusted);
  std::string_view text = safe;
  std::wstring wide;
  std::mbstate_t state{};
  while (!text.empty()) {
    wchar_t character = 0;
    const std::size_t used = std::mbrtowc(&character, text.data(), text.size(), &state);
    if (used == 0 || used > text.size()) break;
    wide.push_back(::wcwidth(character) < 0 ? kReplacement : character);
    text.remove_prefix(used);
  }
  return wide;
}

Key::Kind kind_of_code(int code) {
  switch (code) {
    case KEY_UP: return Key::Kind::up;
    case KEY_DOWN: return Key::Kind::down;
    case KEY_LEFT: return Key::Kind::left;
    case KEY_RIGHT: return Key::Kind::right;
    case KEY_PPAGE: return Key::Kind::page_up;
    case KEY_NPAGE: return Key::Kind::page_down;
    case KEY_HOME: return Key::Kind::home;
    case KEY_END: return Key::Kind::end;
    case KEY_BTAB: return Key::Kind::back_tab;
    case KEY_BACKSPACE: return Key::Kind::backspace;
    case KEY_DC: return Key::Kind::remove;
    case KEY_ENTER: return Key::Kind::enter;
    default: return Key::Kind::other;
  }
}

bool is_ascii_control(const std::string& character) {
  return static_cast<unsigned char>(character[0]) < ' ' || character[0] == 0x7F;
}

Key key_of_character(const std::string& character) {
  constexpr char kControl = 0x1F;
  switch (character[0]) {
    case '\r':
    case '\n': return {Key::Kind::enter, ""};
    case '\t': return {Key::Kind::tab, ""};
    case 0x1B: return {Key::Kind::escape, ""};
    case 0x7F:
    case '\b': return {Key::Kind::backspace, ""};
    case 'A' & kControl: return {Key::Kind::home, ""};
    case 'C' & kControl: return {Key::Kind::interrupt, ""};
    case 'E' & kControl: return {Key::Kind::end, ""};
    case 'L' & kControl: return {Key::Kind::redraw, ""};
    case 'U' & kControl: return {Key::Kind::erase_line, ""};
    case 'W' & kControl: return {Key::Kind::erase_word, ""};
    case 'Z' & kControl: return {Key::Kind::suspend, ""};
    default: break;
  }
  if (is_ascii_control(character)) return {};
  return {Key::Kind::character, character};
}

Key key_of_pasted(const std::string& character) {
  if (character == "\r" || character == "\n" || character == "\t") return {Key::Kind::pasted, " "};
  if (is_ascii_control(character)) return {};
  return {Key::Kind::pasted, character};
}

}  // namespace

struct Screen::Terminal {
  SCREEN* screen = nullptr;
  Fd signals;
  sigset_t before{};
  bool colour = false;
  bool pasting = false;
  TypedBytes typed;
};

void Screen::check() {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0) {
    fail(Code::usage, "stdin and stdout must be a terminal; team-status and team-log need none");
  }
  const std::string kind = environment_variable("TERM").value_or("");
  int error = 0;
  if (kind.empty() || ::setupterm(kind.c_str(), STDOUT_FILENO, &error) != OK) {
    fail(Code::usage, "unknown terminal '{}' (TERM)", one_line(kind));
  }
  if (::tigetstr("cup") == nullptr) fail(Code::usage, "the terminal '{}' (TERM) cannot move its cursor", kind);
}

Screen::Screen() : terminal_(std::make_unique<Terminal>()) {
  check();
  // teamkit prints UTF-8 in every locale. The widths of characters then match those of text.h.
  if (std::setlocale(LC_CTYPE, "C.UTF-8") == nullptr) std::setlocale(LC_CTYPE, "");
  sigset_t heard;
  ::sigemptyset(&heard);
  for (const int signal : {SIGWINCH, SIGCONT, SIGQUIT}) ::sigaddset(&heard, signal);
  ::sigprocmask(SIG_BLOCK, &heard, &terminal_->before);
  terminal_->signals = Fd(::signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!terminal_->signals) fail_errno("cannot wait for", "signals");
  ::set_escdelay(kEscapeDelay);
  terminal_->screen = ::newterm(nullptr, stdout, stdin);
  if (terminal_->screen == nullptr) fail(Code::io, "the terminal cannot be used");
  ::raw();  // ^C and ^\ arrive as keys, so every exit restores the terminal
  ::noecho();
  ::nonl();
  ::nodelay(stdscr, TRUE);
  ::keypad(stdscr, TRUE);
  ::leaveok(stdscr, FALSE);
  ::define_key("\x1b[200~", kPasteStarts);
  ::define_key("\x1b[201~", kPasteEnds);
  tell_terminal(kMarkPastes);
  if (!environment_variable("NO_COLOR") && ::has_colors() == TRUE) {
    ::start_color();
    const short ground = ::use_default_colors() == OK ? -1 : COLOR_BLACK;
    ::init_pair(kGood, COLOR_GREEN, ground);
    ::init_pair(kBad, COLOR_RED, ground);
    ::init_pair(kBusy, COLOR_YELLOW, ground);
    ::init_pair(kWaiting, COLOR_CYAN, ground);
    terminal_->colour = true;
  }
}

Screen::~Screen() {
  if (terminal_->screen != nullptr) {
    tell_terminal(kDoNotMarkPastes);
    ::endwin();
    ::delscreen(terminal_->screen);
  }
  ::sigprocmask(SIG_SETMASK, &terminal_->before, nullptr);
}

Size Screen::size() const {
  return {static_cast<std::size_t>(std::max(1, LINES)), static_cast<std::size_t>(std::max(1, COLS))};
}

void Screen::draw(const Picture& picture) {
  ::erase();
  int row = 0;
  for (const Row& spans : picture.rows) {
    if (row >= LINES) break;
    std::size_t column = 0;
    for (const Span& span : spans) {
      ::attrset(attributes_of(span, terminal_->colour));
      const std::wstring wide = widen(span.text);
      // Each piece gets its own position, so a character of disputed width does not shift the following columns.
      ::mvwaddnwstr(stdscr, row, static_cast<int>(column), wide.data(), static_cast<int>(wide.size()));
      column += columns(span.text);
    }
    ++row;
  }
  ::attrset(A_NORMAL);
  ::curs_set(picture.cursor ? 1 : 0);
  if (picture.cursor) {
    ::move(static_cast<int>(picture.cursor->row), static_cast<int>(picture.cursor->column));
  }
  ::refresh();
}

void Screen::forget() { ::clearok(stdscr, TRUE); }

void Screen::suspend() {
  tell_terminal(kDoNotMarkPastes);
  ::raise(SIGTSTP);  // the handler of ncurses restores the terminal, stops, and sets it up again
  forget();
}

std::optional<Key> Screen::key() {
  signalfd_siginfo signal{};
  while (::read(terminal_->signals.get(), &signal, sizeof signal) == static_cast<ssize_t>(sizeof signal)) {
    if (signal.ssi_signo == SIGQUIT) return Key{Key::Kind::interrupt, ""};
    if (signal.ssi_signo == SIGCONT) {
      ::reset_prog_mode();
      tell_terminal(kMarkPastes);
      terminal_->pasting = false;
      forget();
    }
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
      ::resizeterm(size.ws_row, size.ws_col);
    }
  }
  // get_wch() would drop the bytes after a byte that is not UTF-8.
  while (true) {
    if (const auto character = terminal_->typed.take()) {
      return terminal_->pasting ? key_of_pasted(*character) : key_of_character(*character);
    }
    const int code = ::getch();
    if (code == ERR) return std::nullopt;
    if (code > kLargestByte) {
      if (code == kPasteStarts || code == kPasteEnds) terminal_->pasting = code == kPasteStarts;
      return terminal_->pasting ? Key{} : Key{kind_of_code(code), ""};
    }
    terminal_->typed.add(static_cast<char>(code));
  }
}

void Screen::drop_keys() {
  ::flushinp();
  terminal_->typed.clear();
  terminal_->pasting = false;
}

std::vector<int> Screen::wakers() const { return {STDIN_FILENO, terminal_->signals.get()}; }

bool Screen::is_gone() const {
  pollfd terminal{STDIN_FILENO, POLLIN, 0};
  return ::poll(&terminal, 1, 0) > 0 && (terminal.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

}  // namespace team
