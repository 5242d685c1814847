#include "libteam/view/typing.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "libteam/base/error.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"
#include "libteam/cli/output.h"

namespace team {

namespace {

// False for a background job: the kernel would stop it if it read from the terminal.
bool has_terminal() { return ::isatty(STDIN_FILENO) == 0 || ::tcgetpgrp(STDIN_FILENO) == ::getpgrp(); }

}  // namespace

bool is_interactive() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1 && has_terminal(); }

void send_typed(TeamSession& session, const std::string& line) {
  OutgoingMessage outgoing;
  outgoing.to = session.team().lead;
  outgoing.content = line;
  if (line.starts_with('@')) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    outgoing.to = line.substr(1, blank - 1);
    outgoing.content = line.substr(std::min(blank + 1, line.size()));
  }
  try {
    if (outgoing.content.empty()) fail(Code::usage, "@NAME TEXT: what is to be said?");
    session.refresh();
    session.messages().send(outgoing);
  } catch (const Error& error) {
    warn(error.what());
  }
}

bool Typing::goes_on() const {
  if (!goes_on_) over_.take();
  return goes_on_;
}

Typing::Typing(std::function<void(const std::string& line)> hear)
    : hear_(std::move(hear)), thread_([this] { listen(); }) {}

Typing::~Typing() {
  enough_.ring();
  thread_.join();
}

void Typing::listen() {
  std::string text;
  std::array<char, 4096> buffer{};
  while (true) {
    constexpr int kLookAgain = 1000;  // milliseconds; nothing reports that this job is in the foreground again
    const bool ours = has_terminal();
    std::array<pollfd, 2> waiting = {{{ours ? STDIN_FILENO : -1, POLLIN, 0}, {enough_.fd(), POLLIN, 0}}};
    if (::poll(waiting.data(), waiting.size(), kLookAgain) < 0 && errno != EINTR) break;
    if (waiting[1].revents != 0) return;
    if (waiting[0].revents == 0 || !has_terminal()) continue;
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
    for (std::size_t newline; (newline = text.find('\n')) != std::string::npos; text.erase(0, newline + 1)) {
      hear_line(text.substr(0, newline));
    }
  }
  hear_line(text);
  goes_on_ = false;
  over_.ring();
}

void Typing::hear_line(const std::string& line) const {
  if (!is_blank(line)) hear_(repair_utf8(line));
}

}  // namespace team
