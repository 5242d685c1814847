#include "libteam/cli/typing.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "libteam/base/text.h"

namespace team {

bool is_interactive() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1; }

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
    std::array<pollfd, 2> waiting = {{{STDIN_FILENO, POLLIN, 0}, {enough_.fd(), POLLIN, 0}}};
    if (::poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) break;
    if (waiting[1].revents != 0) return;
    if (waiting[0].revents == 0) continue;
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
    for (std::size_t newline; (newline = text.find('\n')) != std::string::npos; text.erase(0, newline + 1)) {
      const std::string line = repair_utf8(text.substr(0, newline));
      if (line.find_first_not_of(" \t\r") != std::string::npos) hear_(line);
    }
  }
  goes_on_ = false;
  over_.ring();
}

}  // namespace team
