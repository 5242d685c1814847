#include "libteam/system/listener.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "libteam/base/number.h"
#include "libteam/base/terminal_text.h"

namespace team {

namespace {

constexpr int kBacklog = 1024;
constexpr std::string_view kUnix = "unix:";

union AnyAddress {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
  sockaddr_un local;
};

socklen_t to_socket_address(const ListenAddress& address, AnyAddress& to) {
  to = {};
  if (::inet_pton(AF_INET, address.host.c_str(), &to.v4.sin_addr) == 1) {
    to.v4.sin_family = AF_INET;
    to.v4.sin_port = htons(address.port);
    return sizeof to.v4;
  }
  if (::inet_pton(AF_INET6, address.host.c_str(), &to.v6.sin6_addr) == 1) {
    to.v6.sin6_family = AF_INET6;
    to.v6.sin6_port = htons(address.port);
    return sizeof to.v6;
  }
  return 0;
}

AnyAddress path_address(const std::string& path) {
  AnyAddress to{};
  if (path.size() >= sizeof to.local.sun_path) fail(Code::usage, "the path '{}' is too long for a socket", path);
  to.local.sun_family = AF_UNIX;
  std::memcpy(to.local.sun_path, path.c_str(), path.size() + 1);
  return to;
}

[[noreturn]] void refuse(const std::string& where) {
  const Code code = errno == EADDRINUSE || errno == EEXIST ? Code::conflict
                    : errno == EACCES || errno == EPERM    ? Code::permission_denied
                                                           : Code::io;
  fail(code, "cannot listen on '{}': {}", where, std::strerror(errno));
}

// True if a process listens on the socket file.
bool is_served(const AnyAddress& address) {
  const Fd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return probe && (::connect(probe.get(), &address.any, sizeof address.local) == 0 || errno != ECONNREFUSED);
}

}  // namespace

bool ListenAddress::is_loopback() const {
  AnyAddress address;
  if (is_unix()) return true;
  if (to_socket_address(*this, address) == 0) return false;
  if (address.any.sa_family == AF_INET) return (ntohl(address.v4.sin_addr.s_addr) >> 24) == 127;
  return IN6_IS_ADDR_LOOPBACK(&address.v6.sin6_addr);
}

std::string ListenAddress::url_host() const { return host.find(':') == host.npos ? host : "[" + host + "]"; }

ListenAddress parse_listen(std::string_view text) {
  ListenAddress address;
  const auto refuse_text = [&] {
    fail(Code::usage, "--listen: '{}' is neither ADDRESS:PORT nor unix:PATH", one_line(text));
  };
  if (text.starts_with(kUnix)) {
    address.path = text.substr(kUnix.size());
    if (address.path.empty() || address.path.find('\0') != std::string::npos) refuse_text();
    return address;
  }
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) refuse_text();
  const auto port = parse_integer(text.substr(colon + 1));
  if (!port || *port > 65535) refuse_text();
  address.port = static_cast<std::uint16_t>(*port);
  std::string_view host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  address.host = host.empty() || host == "localhost" ? "127.0.0.1" : std::string(host);
  AnyAddress parsed;
  if (to_socket_address(address, parsed) == 0) refuse_text();
  return address;
}

Listener::Listener(ListenAddress address) : address_(std::move(address)) {
  if (address_.is_unix()) listen_unix();
  else listen_tcp();
}

Listener::~Listener() {
  if (address_.is_unix() && fd_) ::unlink(address_.path.c_str());
}

void Listener::listen_unix() {
  const AnyAddress address = path_address(address_.path);
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) refuse(address_.path);
  int bound = ::bind(fd.get(), &address.any, sizeof address.local);
  struct stat found {};
  const bool is_socket = bound != 0 && errno == EADDRINUSE && ::lstat(address_.path.c_str(), &found) == 0 &&
                         S_ISSOCK(found.st_mode) && found.st_uid == ::geteuid();
  if (is_socket && !is_served(address)) {
    ::unlink(address_.path.c_str());
    bound = ::bind(fd.get(), &address.any, sizeof address.local);
  } else if (bound != 0 && is_socket) {
    errno = EADDRINUSE;
  }
  // Nobody can connect before listen().
  if (bound != 0 || ::chmod(address_.path.c_str(), 0600) != 0 || ::listen(fd.get(), kBacklog) != 0) {
    refuse(address_.path);
  }
  fd_ = std::move(fd);
}

void Listener::listen_tcp() {
  const std::string where = address_.url_host() + ":" + std::to_string(address_.port);
  AnyAddress address;
  socklen_t size = to_socket_address(address_, address);
  Fd fd(::socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) refuse(where);
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(fd.get(), &address.any, size) != 0 || ::listen(fd.get(), kBacklog) != 0) refuse(where);
  if (::getsockname(fd.get(), &address.any, &size) != 0) refuse(where);
  address_.port = ntohs(address.any.sa_family == AF_INET ? address.v4.sin_port : address.v6.sin6_port);
  fd_ = std::move(fd);
}

Fd Listener::accept() const {
  Fd fd(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  const int on = 1;
  if (fd && !address_.is_unix()) ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

void allow_open_files(std::uint64_t count) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= count) return;
  limit.rlim_cur = std::min<rlim_t>(count, limit.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace team
