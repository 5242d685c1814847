#include "libteam/agent/life/tmux.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "libteam/base/environment_variable.h"
#include "libteam/base/error.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/system/environment.h"
#include "libteam/system/process.h"

namespace team {

namespace {

constexpr double kSeconds = 10;

// `tmux show-environment -g` shows the environment of the call that started the server. So it holds nothing beyond what
// tmux itself and a shell of the user need.
const std::vector<std::string> kEnvironment = {
    "PATH",       "HOME",        "USER",          "LOGNAME",       "SHELL",          "LANG",  "LC_*",
    "TZ",         "TERM",        "COLORTERM",     "TERM_PROGRAM*", "TMPDIR",         "TMUX",  "TMUX_PANE",
    "DISPLAY",    "TMUX_TMPDIR", "SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_CONNECTION", "XDG_*", "WAYLAND_DISPLAY",
    "KRB5CCNAME", "XAUTHORITY",  "WINDOWID"};

Answered call(std::vector<std::string> arguments) {
  Program program;
  program.arguments = std::move(arguments);
  program.environment = only(kEnvironment);
  // A server that this call starts must outlive us.
  program.environment.emplace_back("TEAM_DETACHED", "all");
  return run_program(program, kSeconds);
}

// True if a server of this user listens on the socket.
bool answers(const std::string& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  struct stat status {};
  if (socket.size() >= sizeof address.sun_path || ::stat(socket.c_str(), &status) != 0) return false;
  if (!S_ISSOCK(status.st_mode) || status.st_uid != ::geteuid()) return false;
  std::memcpy(address.sun_path, socket.data(), socket.size());
  const Fd client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // A server whose queue is full is alive.
  return ::connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 || errno == EAGAIN;
}

std::string socket_around() { return split(environment_variable("TMUX").value_or(""), ',').front(); }

// Escapes a last semicolon, which tmux would take for the end of a command.
std::string as_argument(std::string text) {
  if (text.ends_with(';')) text.insert(text.size() - 1, 1, '\\');
  return text;
}

std::string as_format(const std::string& text) {
  std::string doubled;
  for (const char c : text) doubled += c == '#' ? "##" : std::string(1, c);
  return doubled;
}

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

// Another team of the same name in another root has a session of its own.
std::string short_hash(const std::string& text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return fmt::format("{:08x}", hash);
}

}  // namespace

TmuxAround tmux_around() {
  const std::string socket = socket_around();
  if (socket.empty()) return TmuxAround::none;
  return answers(socket) ? TmuxAround::alive : TmuxAround::gone;
}

bool has_tmux() { return call({"tmux", "-V"}).status == 0; }

Tmux::Tmux(const std::string& team, const std::string& root, const std::optional<std::string>& socket)
    : session_(fmt::format("teamkit-{}-{}", team, short_hash(root))), server_({"tmux"}) {
  const bool is_inside = tmux_around() == TmuxAround::alive;
  if (socket && answers(*socket) && !(is_inside && *socket == socket_around())) {
    server_.insert(server_.end(), {"-S", *socket});
    attach_ = fmt::format("tmux -S {} attach -t {}", *socket, session_);
  } else if (is_inside) {
    attach_ = fmt::format("tmux switch-client -t {}", session_);
  } else {
    server_.insert(server_.end(), {"-L", session_});
    attach_ = fmt::format("tmux -L {} attach", session_);
  }
}

std::optional<std::string> Tmux::try_to(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), server_.begin(), server_.end());
  const Answered answered = call(std::move(arguments));
  if (!answered.in_time) fail(Code::io, "tmux: no answer");
  return answered.status == 0 ? std::optional(trimmed(answered.out)) : std::nullopt;
}

std::string Tmux::run(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), server_.begin(), server_.end());
  const Answered answered = call(std::move(arguments));
  if (answered.status != 0) {
    const std::string said = answered.in_time ? one_line(trimmed(answered.err)) : "no answer";
    fail(Code::io, "tmux: {}", said.empty() ? fmt::format("exit status {}", answered.status) : said);
  }
  return trimmed(answered.out);
}

std::string Tmux::open(const Pane& pane) const {
  std::vector<std::string> rest = {
      "-d", "-P", "-F", "#{pane_id} #{window_id}", "-c", as_argument(as_format(pane.directory))};
  rest.emplace_back("--");
  for (const std::string& argument : pane.arguments) rest.push_back(as_argument(argument));
  const auto with = [&](std::vector<std::string> first) {
    first.insert(first.end(), rest.begin(), rest.end());
    return first;
  };
  const std::string session = "=" + session_;
  // Where no session is, another one may make it at the same time.
  std::optional<std::string> made =
      has_session() ? std::nullopt : try_to(with({"new-session", "-s", session_, "-x", "200", "-y", "50"}));
  // Behind the last pane of the last window that is ours, as long as there is room in it.
  if (!made) {
    if (const auto last = last_pane()) made = try_to(with({"split-window", "-t", *last}));
  }
  if (!made)
    made = has_session() ? run(with({"new-window", "-t", session + ":"}))
                         : run(with({"new-session", "-s", session_, "-x", "200", "-y", "50"}));
  const std::size_t blank = made->find(' ');
  std::string id = made->substr(0, blank);
  const std::string window = made->substr(blank + 1);
  // How it looks is not worth failing for.
  try_to({"set-option", "-w", "-t", window, "@teamkit", "1"});
  try_to({"set-option", "-p", "-t", id, "remain-on-exit", "off"});
  try_to({"select-pane", "-t", id, "-T", pane.title});
  try_to({"set-option", "-w", "-t", window, "pane-border-status", "top"});
  try_to({"set-option", "-w", "-t", window, "pane-border-format", " #{pane_title} "});
  try_to({"select-layout", "-t", window, "tiled"});
  return id;
}

bool Tmux::has_session() const { return try_to({"has-session", "-t", "=" + session_}).has_value(); }

std::optional<std::string> Tmux::last_pane() const {
  const auto panes = try_to({"list-panes", "-s", "-t", "=" + session_, "-f", "#{@teamkit}", "-F",
                             "#{window_index} #{pane_index} #{pane_id}"});
  if (!panes || panes->empty()) return std::nullopt;
  const std::string last = split(*panes, '\n').back();
  return last.substr(last.rfind(' ') + 1);
}

bool Tmux::is_dead(const std::string& pane) const {
  return !has(pane) || try_to({"display-message", "-p", "-t", pane, "#{pane_dead}"}) == "1";
}

void Tmux::close(const std::string& pane) const { try_to({"kill-pane", "-t", pane}); }

bool Tmux::has(const std::string& pane) const {
  const auto panes = try_to({"list-panes", "-s", "-t", "=" + session_, "-F", "#{pane_id}"});
  if (!panes) return false;
  for (const std::string& id : split(*panes, '\n')) {
    if (id == pane) return true;
  }
  return false;
}

std::string Tmux::how_to_attach() const { return attach_; }

void close_left_pane(const MemberState& state, const std::string& title) {
  if (state.start.mode != "tmux" || !state.pane || !state.tmux) return;
  const std::vector<std::string> server = {"tmux", "-S", *state.tmux};
  const auto ask = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), server.begin(), server.end());
    return call(std::move(arguments));
  };
  // A pane that closed and whose id means another by now has another title.
  const Answered shown = ask({"display-message", "-p", "-t", *state.pane, "#{pane_title}"});
  if (shown.status == 0 && trimmed(shown.out) == title) ask({"kill-pane", "-t", *state.pane});
}

}  // namespace team
