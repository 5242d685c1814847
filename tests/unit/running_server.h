// A server on a Unix socket, with a team in memory, and a client that sends any bytes.
#pragma once

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "libteam/serve/access.h"
#include "libteam/serve/router.h"
#include "libteam/serve/server.h"
#include "libteam/serve/service.h"
#include "libteam/store/memory/memory_engine.h"
#include "libteam/system/listener.h"

namespace team::test {

inline constexpr const char* kToken = "0123456789abcdef0123456789abcdef";

class RunningServer {
 public:
  explicit RunningServer(const std::string& path, ServerLimits limits = {}, AccessRules rules = {})
      : listener_({.host = "", .port = 0, .path = path}),
        team_(make_team(engine_)),
        service_(engine_, {}),
        router_(all_routes()),
        access_(with_token(std::move(rules))),
        server_(listener_, service_, router_, access_, limits),
        thread_([this] { server_.run(); }) {}
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;
  ~RunningServer() {
    ::raise(SIGTERM);
    thread_.join();
  }

  const Service& service() const { return service_; }
  TeamSession session() const {
    return {engine_, "alpha", Actor{.name = "user", .role = {}, .run = {}, .leads = true}};
  }

 private:
  static Team make_team(const MemoryEngine& engine) {
    Team team;
    team.name = "alpha";
    team.members = {{"lead", std::nullopt, 0, false, "{}"}, {"ann", "coder", 0, false, "{}"}};
    engine.create(team, [](const Error&) {});
    return team;
  }
  static AccessRules with_token(AccessRules rules) {
    rules.token = kToken;
    rules.hosts = {"localhost"};
    return rules;
  }

  MemoryEngine engine_;
  Listener listener_;
  Team team_;
  Service service_;
  Router router_;
  Access access_;
  Server server_;
  std::thread thread_;
};

// A connection to the server.
class Client {
 public:
  explicit Client(const std::string& path) : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    is_connected_ = ::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }

  bool is_connected() const { return is_connected_; }
  int fd() const { return fd_.get(); }
  // False if the server does not read any more.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void end_sending() const { ::shutdown(fd_.get(), SHUT_WR); }

  // Reads until the text has come, or the end of the connection, or the time is over.
  std::string read_until(std::string_view text, std::chrono::milliseconds patience = std::chrono::seconds(20)) {
    const auto end = std::chrono::steady_clock::now() + patience;
    std::string all;
    while (text.empty() || all.find(text) == all.npos) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      pollfd ready{fd_.get(), POLLIN, 0};
      if (left.count() <= 0 || ::poll(&ready, 1, static_cast<int>(left.count())) <= 0) return all;
      char bytes[16 * 1024];
      const ssize_t got = ::recv(fd_.get(), bytes, sizeof bytes, 0);
      if (got <= 0) {
        has_ended_ = true;
        return all;
      }
      all.append(bytes, static_cast<std::size_t>(got));
    }
    return all;
  }
  std::string read_all() { return read_until(""); }
  // True if the server closed the connection, as far as reading has shown.
  bool has_ended() const { return has_ended_; }

 private:
  Fd fd_;
  bool is_connected_ = false;
  bool has_ended_ = false;
};

// The head of a request with the token, up to the last header.
inline std::string request_head(std::string_view first_line) {
  return std::string(first_line) + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + kToken + "\r\n";
}

}  // namespace team::test
