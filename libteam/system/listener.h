// A socket that a server listens on: TCP, or a Unix socket.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libteam/system/file.h"

namespace team {

struct ListenAddress {
  std::string host;  // an IP address; empty for a Unix socket
  std::uint16_t port = 0;
  std::string path;  // of a Unix socket

  bool is_unix() const { return host.empty(); }
  // True if no other machine can connect.
  bool is_loopback() const;
  // The host as part of an address: an IPv6 address in brackets.
  std::string url_host() const;
};

// "127.0.0.1:8080", "[::1]:8080", "localhost:0", ":8080" (loopback), "unix:PATH". Throws usage.
ListenAddress parse_listen(std::string_view text);

class Listener {
 public:
  // Throws conflict if the address is in use, permission_denied if this user may not use it, usage for a path that is
  // too long, io otherwise. A socket file that nobody listens on is replaced. The file of a new one is 0600.
  explicit Listener(ListenAddress address);
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  // Removes the socket file.
  ~Listener();

  int fd() const { return fd_.get(); }
  // With the port that the system chose.
  const ListenAddress& address() const { return address_; }
  // A new connection, non-blocking; an empty descriptor with errno set if there is none.
  Fd accept() const;

 private:
  void listen_unix();
  void listen_tcp();

  ListenAddress address_;
  Fd fd_;
};

// Raises the limit of open files of this process to `count`, as far as the system allows.
void allow_open_files(std::uint64_t count);

}  // namespace team
