// least_streams FILE - the least that a server of event streams does: it follows a log and sends each line to everybody
//
// One thread with epoll, inotify and send; no limits, no access rules, no replay, and a client that does not read loses
// events. Prints its port.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

// One chunk of HTTP with the frame of an envelope.
std::string frame(std::string_view line) {
  const std::string id = "id: " + std::to_string(std::atoll(line.data() + sizeof "{\"seq\":" - 1)) + "\n";
  char size[16];
  std::snprintf(size, sizeof size, "%zx\r\n", id.size() + line.size() + 8);
  return size + id + "data: " + std::string(line) + "\n\n\r\n";
}

void add(int poller, int fd) {
  epoll_event wanted{};
  wanted.events = EPOLLIN;
  wanted.data.fd = fd;
  epoll_ctl(poller, EPOLL_CTL_ADD, fd, &wanted);
}

}  // namespace

int main(int, char** argv) {
  const int door = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(door, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(door, 1024) != 0) return 1;
  getsockname(door, reinterpret_cast<sockaddr*>(&address), &size);
  std::printf("%d\n", ntohs(address.sin_port));
  std::fflush(stdout);
  const int log = open(argv[1], O_RDONLY);
  lseek(log, 0, SEEK_END);
  const int changes = inotify_init1(IN_NONBLOCK);
  inotify_add_watch(changes, argv[1], IN_MODIFY);
  const int poller = epoll_create1(0);
  add(poller, door);
  add(poller, changes);
  std::vector<int> clients;
  std::string rest;
  while (true) {
    epoll_event ready[64];
    const int count = epoll_wait(poller, ready, 64, -1);
    for (int i = 0; i < count; ++i) {
      const int fd = ready[i].data.fd;
      char buffer[64 * 1024];
      if (fd == door) {
        for (int client = accept4(door, nullptr, nullptr, SOCK_NONBLOCK); client >= 0;
             client = accept4(door, nullptr, nullptr, SOCK_NONBLOCK)) {
          add(poller, client);
        }
      } else if (fd == changes) {
        while (read(changes, buffer, sizeof buffer) > 0) continue;
        for (ssize_t got = read(log, buffer, sizeof buffer); got > 0; got = read(log, buffer, sizeof buffer)) {
          rest.append(buffer, static_cast<std::size_t>(got));
        }
        for (auto end = rest.find('\n'); end != rest.npos; end = rest.find('\n')) {
          const std::string text = frame(std::string_view(rest).substr(0, end));
          for (const int client : clients) send(client, text.data(), text.size(), MSG_NOSIGNAL);
          rest.erase(0, end + 1);
        }
      } else if (read(fd, buffer, sizeof buffer) > 0) {
        constexpr std::string_view kHead =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
        send(fd, kHead.data(), kHead.size(), MSG_NOSIGNAL);
        clients.push_back(fd);
      } else {
        std::erase(clients, fd);
        close(fd);
      }
    }
  }
}
