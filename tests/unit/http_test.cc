// POST requests to a local server: streams, their ends, and the classification of errors.
#include "libteam/agent/model/http.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "libteam/agent/model/provider.h"
#include "libteam/base/clock.h"
#include "libteam/system/event_fd.h"
#include "tests/unit/check.h"

using namespace team;
using Kind = ModelError::Kind;

namespace {

// Answers each request with the output of `reply`; accepts any number of connections, one at a time.
class Server {
 public:
  // Returns false to close the connection.
  using Reply = std::function<bool(int connection, const std::string& request)>;

  explicit Server(Reply reply) : reply_(std::move(reply)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    CHECK(::bind(listener_.get(), generic, size) == 0 && ::listen(listener_.get(), 16) == 0);
    ::getsockname(listener_.get(), generic, &size);
    port_ = ::ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() {
    end_.ring();
    thread_.join();
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/v1/x"; }
  int connections() const { return connections_; }
  std::vector<std::string> requests() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return requests_;
  }
  // For a reply: blocks until the test ends or the client disconnects.
  void hold(int connection) const {
    pollfd waiting[] = {{end_.fd(), POLLIN, 0}, {connection, POLLIN | POLLRDHUP, 0}};
    ::poll(waiting, 2, 20'000);
  }

 private:
  bool comes(int fd) const {
    pollfd waiting[] = {{fd, POLLIN, 0}, {end_.fd(), POLLIN, 0}};
    ::poll(waiting, 2, -1);
    return !can_be_read(end_.fd());
  }

  std::optional<std::string> read_request(int connection) const {
    std::string text;
    while (true) {
      const std::size_t head = text.find("\r\n\r\n");
      if (head != std::string::npos) {
        std::size_t length = 0;
        std::string lowered = text.substr(0, head);
        for (char& c : lowered) c = static_cast<char>(std::tolower(c));
        if (const auto at = lowered.find("content-length: "); at != std::string::npos) {
          length = std::stoul(lowered.substr(at + 16));
        }
        if (text.size() >= head + 4 + length) return text;
      }
      char piece[65536];
      if (!comes(connection)) return std::nullopt;
      const ssize_t size = ::read(connection, piece, sizeof piece);
      if (size <= 0) return std::nullopt;
      text.append(piece, static_cast<std::size_t>(size));
    }
  }

  void serve() {
    while (comes(listener_.get())) {
      const Fd connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      ++connections_;
      while (const auto request = read_request(connection.get())) {
        {
          const std::lock_guard<std::mutex> lock(mutex_);
          requests_.push_back(*request);
        }
        if (!reply_(connection.get(), *request)) break;
      }
    }
  }

  Reply reply_;
  Fd listener_;
  int port_ = 0;
  EventFd end_;
  std::atomic<int> connections_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

void say(int connection, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(connection, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void begin_stream(int connection) {
  say(connection, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
}

void chunk(int connection, const std::string& text) {
  char size[32];
  std::snprintf(size, sizeof size, "%zx\r\n", text.size());
  say(connection, size + text + "\r\n");
}

// A complete response with a body of known length.
std::string whole(const std::string& status, const std::string& headers, const std::string& body) {
  return "HTTP/1.1 " + status + "\r\n" + headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

Server::Reply always(const std::string& answer) {
  return [answer](int connection, const std::string&) {
    say(connection, answer);
    return true;
  };
}

struct Posted {
  HttpAnswer answer;
  std::string heard;
  std::vector<std::string> pieces;
  std::optional<Kind> error;
  std::string reason;
  double seconds = 0;
};

Posted post(Http& http, const std::string& url, int interrupt = -1, const std::string& enough = "",
            const std::string& body = "{}") {
  Posted posted;
  const double start = now();
  const auto hear = [&](std::string_view piece) {
    posted.heard += piece;
    posted.pieces.emplace_back(piece);
    const bool has_enough = !enough.empty() && posted.heard.find(enough) != std::string::npos;
    return has_enough ? Http::Wants::nothing : Http::Wants::more;
  };
  try {
    posted.answer = http.post({url, {{"x-api-key", "secret"}}, body}, interrupt, hear);
  } catch (const ModelError& error) {
    posted.error = error.kind();
    posted.reason = error.what();
  }
  posted.seconds = now() - start;
  return posted;
}

Http::Limits short_silence() { return {5, 0.3}; }

std::string header(const HttpAnswer& answer, const std::string& name) {
  for (const auto& [key, value] : answer.headers) {
    if (key == name) return value;
  }
  return "(none)";
}

void streams() {
  EventFd half;
  Server server([&](int connection, const std::string&) {
    begin_stream(connection);
    chunk(connection, "one ");
    // The server sends the rest after the first piece arrived, so the client must not buffer it.
    pollfd waiting{half.fd(), POLLIN, 0};
    const bool heard = ::poll(&waiting, 1, 10'000) > 0;
    chunk(connection, heard ? "two" : "too late");
    chunk(connection, "");
    return true;
  });
  Http http({});
  std::string heard;
  const auto hear = [&](std::string_view piece) {
    heard += piece;
    if (heard == "one ") half.ring();
    return Http::Wants::more;
  };
  const HttpAnswer answer = http.post({server.url(), {{"x-api-key", "secret"}}, "{\"a\":1}"}, -1, hear);
  CHECK(heard == "one two");
  CHECK(answer.status == 200 && answer.is_heard && answer.body.empty());
  const std::string request = server.requests().at(0);
  CHECK(request.starts_with("POST /v1/x HTTP/1.1\r\n"));
  CHECK(request.ends_with("\r\n\r\n{\"a\":1}"));
  CHECK(request.find("x-api-key: secret\r\n") != std::string::npos);
  CHECK(request.find("content-type: application/json\r\n") != std::string::npos);
  CHECK(request.find("Expect") == std::string::npos && request.find("expect") == std::string::npos);
}

void large_bodies() {
  Server server(always(whole("200 OK", "Content-Type: text/event-stream\r\n", std::string(3'000'000, 'e'))));
  Http http({});
  const std::string body(5'000'000, 'b');
  const Posted posted = post(http, server.url(), -1, "", body);
  CHECK(!posted.error && posted.heard.size() == 3'000'000);
  CHECK(server.requests().at(0).ends_with(body));
}

void headers_of_any_case() {
  Server server(
      always(whole("429 Too Many Requests", "ReTRy-AFTER:  7 \r\nX-Empty:\r\nX-Two: a\r\nX-Two: b\r\n", "{}")));
  Http http({});
  const Posted posted = post(http, server.url());
  CHECK(posted.answer.status == 429 && !posted.answer.is_heard && posted.answer.body == "{}");
  CHECK(header(posted.answer, "retry-after") == "7");
  CHECK(header(posted.answer, "x-empty").empty());
  CHECK(header(posted.answer, "x-two") == "a");
}

void preliminary_answers() {
  Server server(always("HTTP/1.1 103 Early Hints\r\nX-Early: yes\r\n\r\n" +
                       whole("200 OK", "Content-Type: text/event-stream\r\n", "data")));
  Http http({});
  const Posted posted = post(http, server.url());
  CHECK(posted.answer.status == 200 && posted.heard == "data");
  CHECK(header(posted.answer, "x-early") == "(none)");
}

void error_bodies() {
  std::mutex mutex;
  std::string said;
  const auto answer_with = [&](std::string text) {
    const std::lock_guard guard(mutex);
    said = std::move(text);
  };
  Server server([&](int connection, const std::string&) {
    const std::lock_guard guard(mutex);
    say(connection, said);
    return false;
  });
  answer_with(whole("500 Internal Server Error", "Content-Type: text/event-stream\r\n", "no stream, an error"));
  Http http({});
  Posted posted = post(http, server.url());
  CHECK(posted.answer.status == 500 && posted.answer.body == "no stream, an error" && posted.heard.empty());

  // A response that is not a stream is returned whole, too.
  answer_with(whole("200 OK", "Content-Type: Application/JSON; charset=utf-8\r\n", "{\"error\":1}"));
  posted = post(http, server.url());
  CHECK(posted.answer.status == 200 && !posted.answer.is_heard && posted.answer.body == "{\"error\":1}");
  answer_with(whole("200 OK", "Content-Type: text/html\r\n", "<p>"));
  CHECK(post(http, server.url()).answer.body == "<p>");
  answer_with(whole("200 OK", "", "no type"));
  posted = post(http, server.url());
  CHECK(posted.answer.is_heard && posted.heard == "no type");

  // At most 64 KiB are kept, and the client does not wait for the end of an endless body.
  answer_with(whole("502 Bad Gateway", "", std::string(500'000, 'x')));
  CHECK(post(http, server.url()).answer.body == std::string(64 * 1024, 'x'));
  answer_with(whole("502 Bad Gateway", "", std::string(20'000'000, 'x')));
  posted = post(http, server.url());
  CHECK(posted.answer.status == 502 && posted.answer.body.size() == 64 * 1024);

  // The end of the body is missing, but the status counts.
  answer_with("HTTP/1.1 529 Overloaded\r\nContent-Length: 1000\r\n\r\noverloaded");
  posted = post(http, server.url());
  CHECK(posted.answer.status == 529 && posted.answer.body == "overloaded");
}

void redirects() {
  Server elsewhere(always(whole("200 OK", "", "elsewhere")));
  for (const char* status :
       {"301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"}) {
    Server server(always(whole(status, "Location: " + elsewhere.url() + "\r\n", "moved")));
    Http http({});
    const Posted posted = post(http, server.url());
    CHECK(posted.answer.status / 100 == 3 && posted.answer.body == "moved" && posted.heard.empty());
    CHECK(header(posted.answer, "location") == elsewhere.url());
  }
  CHECK(elsewhere.connections() == 0);
}

void no_server() {
  std::string url;
  {
    Server gone(always(""));
    url = gone.url();
  }
  Http http({});
  const Posted posted = post(http, url);
  CHECK(posted.error == Kind::unreachable && !posted.reason.empty() && posted.seconds < 5);
  CHECK(posted.reason.find("secret") == std::string::npos);
}

void wrong_addresses() {
  Http http({});
  CHECK(post(http, "ftp://127.0.0.1/x").error == Kind::final);
  CHECK(post(http, "file:///etc/passwd").error == Kind::final);
  CHECK(post(http, "http://127.0.0.1:99999999/x").error == Kind::final);
}

// The server accepts the connection but does not answer the TLS handshake, so the connect limit applies.
void connections_that_hang() {
  Server mute(always(""));
  std::string url = mute.url();
  Http http({0.3, 300});
  const Posted posted = post(http, url.replace(0, 4, "https"));
  CHECK(posted.error == Kind::passing && posted.seconds > 0.2 && posted.seconds < 5);
}

void broken_streams() {
  std::atomic<int> cut = 0;
  Server server([&](int connection, const std::string&) {
    if (cut == 0) return false;
    begin_stream(connection);
    if (cut > 1) chunk(connection, "one ");
    if (cut > 2) say(connection, "10\r\nhalf");
    return false;
  });
  Http http({});
  for (cut = 0; cut < 4; ++cut) {
    const Posted posted = post(http, server.url());
    CHECK(posted.error == Kind::passing && !posted.reason.empty());
    CHECK(posted.heard == (cut < 2 ? "" : cut < 3 ? "one " : "one half"));
  }
}

void silent_servers() {
  std::atomic<int> said = 0;
  std::atomic<Server*> self = nullptr;
  Server server([&](int connection, const std::string&) {
    if (said > 0) begin_stream(connection);
    if (said > 1) chunk(connection, "one ");
    self.load()->hold(connection);
    return false;
  });
  self = &server;
  Http http(short_silence());
  for (said = 0; said < 3; ++said) {
    const Posted posted = post(http, server.url());
    CHECK(posted.error == Kind::passing && posted.reason.find("nothing came for 0.3 s") != std::string::npos);
    CHECK(posted.seconds >= 0.25 && posted.seconds < 5);
  }
}

// The whole stream takes longer than the limit, but no silence does.
void slow_streams() {
  Server server([&](int connection, const std::string&) {
    begin_stream(connection);
    for (int i = 0; i < 10; ++i) {
      ::poll(nullptr, 0, 150);
      chunk(connection, "x");
    }
    chunk(connection, "");
    return true;
  });
  Http http({5, 1});
  const Posted posted = post(http, server.url());
  CHECK(!posted.error && posted.heard == "xxxxxxxxxx" && posted.seconds > 1.2);
}

void interruptions() {
  EventFd started;
  Server* self = nullptr;
  Server server([&](int connection, const std::string&) {
    begin_stream(connection);
    chunk(connection, "one ");
    started.ring();
    self->hold(connection);
    return false;
  });
  self = &server;
  Http http({});
  EventFd bell;
  std::thread other([&] {
    pollfd waiting{started.fd(), POLLIN, 0};
    ::poll(&waiting, 1, 10'000);
    bell.ring();
  });
  Posted posted = post(http, server.url(), bell.fd());
  other.join();
  CHECK(posted.error == Kind::interrupted && posted.seconds < 5);

  // The interrupt came before the call, so no connection is opened.
  const int before = server.connections();
  posted = post(http, server.url(), bell.fd());
  CHECK(posted.error == Kind::interrupted && server.connections() == before);
  CHECK(bell.take());
}

void interrupted_and_then_used() {
  int number = 0;
  Server* self = nullptr;
  EventFd bell;
  Server server([&](int connection, const std::string&) {
    begin_stream(connection);
    if (++number == 1) {
      chunk(connection, "old ");
      bell.ring();
      self->hold(connection);
      return false;
    }
    chunk(connection, "new");
    chunk(connection, "");
    return true;
  });
  self = &server;
  Http http({});
  CHECK(post(http, server.url(), bell.fd()).error == Kind::interrupted);
  bell.take();
  const Posted posted = post(http, server.url(), bell.fd());
  CHECK(!posted.error && posted.heard == "new");
}

void one_connection() {
  Server server([&](int connection, const std::string&) {
    begin_stream(connection);
    chunk(connection, "all\n");
    chunk(connection, "");
    return true;
  });
  Http http({});
  for (int i = 0; i < 20; ++i) CHECK(post(http, server.url(), -1, i % 2 == 0 ? "" : "all").heard == "all\n");
  CHECK(server.connections() == 1);
  CHECK(server.requests().size() == 20);
}

// The server closed the idle connection: the client opens another one without an error.
void closed_connections() {
  Server server([&](int connection, const std::string&) {
    say(connection, whole("200 OK", "", "all"));
    return false;
  });
  Http http({});
  for (int i = 0; i < 5; ++i) {
    const Posted posted = post(http, server.url());
    CHECK(!posted.error && posted.heard == "all");
  }
  CHECK(server.connections() == 5);
}

// A receiver that has enough does not wait for the end of the stream.
void receivers_that_have_enough() {
  Server* self = nullptr;
  Server server([&](int connection, const std::string&) {
    begin_stream(connection);
    chunk(connection, "all [DONE]");
    self->hold(connection);
    return false;
  });
  self = &server;
  Http http({});
  const Posted posted = post(http, server.url(), -1, "[DONE]");
  CHECK(!posted.error && posted.answer.is_heard && posted.seconds < 5);
}

void receivers_that_throw() {
  Server server(always(whole("200 OK", "", "all")));
  Http http({});
  std::string caught;
  try {
    http.post({server.url(), {}, "{}"}, -1,
              [](std::string_view) -> Http::Wants { throw ModelError(Kind::final, "it makes no sense"); });
  } catch (const ModelError& error) {
    caught = error.what();
  }
  CHECK(caught == "it makes no sense");
  CHECK(post(http, server.url()).heard == "all");
}

std::size_t inheritable_descriptors() {
  std::size_t count = 0;
  for (int fd = 3; fd < 256; ++fd) {
    const int flags = ::fcntl(fd, F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) == 0) ++count;
  }
  return count;
}

// Child processes do not inherit the descriptors of connections.
void descriptors_are_not_inherited() {
  const std::size_t before = inheritable_descriptors();
  Server server(always(whole("200 OK", "", "all")));
  Http http({});
  CHECK(post(http, server.url()).heard == "all");
  CHECK(inheritable_descriptors() == before);
}

void no_proxy_for_loopback() {
  ::setenv("http_proxy", "http://127.0.0.1:1", 1);
  Server server(always(whole("200 OK", "", "all")));
  Http http({});
  CHECK(post(http, server.url()).heard == "all");
  ::unsetenv("http_proxy");
}

}  // namespace

int main() {
  descriptors_are_not_inherited();
  streams();
  large_bodies();
  headers_of_any_case();
  preliminary_answers();
  error_bodies();
  redirects();
  no_server();
  wrong_addresses();
  connections_that_hang();
  broken_streams();
  silent_servers();
  slow_streams();
  interruptions();
  interrupted_and_then_used();
  one_connection();
  closed_connections();
  receivers_that_have_enough();
  receivers_that_throw();
  no_proxy_for_loopback();
  return test::report();
}
