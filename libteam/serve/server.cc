// Beast 1.74 needs <utility> before asio under C++20; this header includes it.
#include "libteam/serve/server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cerrno>
#include <map>
#include <set>
#include <utility>

#include "libteam/base/clock.h"
#include "libteam/serve/event_feed.h"
#include "libteam/serve/front.h"
#include "libteam/serve/pushed_body.h"
#include "libteam/serve/stream_sender.h"

namespace team {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Clock = std::chrono::steady_clock;
using Protocol = asio::generic::stream_protocol;
using Socket = asio::basic_stream_socket<Protocol, asio::io_context::executor_type>;
using ErrorCode = boost::system::error_code;

constexpr std::size_t kReaders = 4;
constexpr std::size_t kChangers = 16;  // a change may wait for a hook, a lock or the end of a member

std::string to_text(boost::beast::string_view text) { return {text.data(), text.size()}; }

WebRequest to_request(const http::request_header<>& header) {
  WebRequest request;
  request.method = to_text(header.method_string());
  for (const auto& field : header) {
    std::string name = to_text(field.name_string());
    for (char& c : name) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    request.headers.emplace_back(std::move(name), to_text(field.value()));
  }
  return request;
}

class Connection;

// A team with streams.
struct Followed {
  std::unique_ptr<EventFeed> feed;
  std::set<Connection*> streams;
};

}  // namespace

struct ServerLoop {
  void accept();
  void drop_oldest_reader();
  void tick();
  void end();
  void leave(Connection& connection);
  void stop_if_done();
  Followed& follow(const std::string& team);
  void deliver(const std::string& team);

  const Listener& listener;
  const Service& service;
  const Router& router;
  Access& access;
  const ServerLimits limits;
  Clock::time_point now = Clock::now();  // as of the last tick
  bool ends = false;
  std::size_t working = 0;  // requests on worker threads
  std::map<Connection*, std::shared_ptr<Connection>> connections = {};
  std::map<std::string, Followed> teams = {};
  asio::io_context context{1};
  asio::posix::stream_descriptor door{context};
  asio::steady_timer timer{context};
  asio::signal_set signals{context, SIGINT, SIGTERM, SIGHUP};
  // Requests that only read do not wait behind slow changes.
  asio::thread_pool readers{kReaders};
  asio::thread_pool changers{kChangers};
};

namespace {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  enum class State { reading, working, writing, streaming };

  Connection(ServerLoop& loop, Socket socket) : loop_(loop), socket_(std::move(socket)), since_(loop.now) {}

  void read();
  void pump();
  void tick();
  void farewell();
  void end_stream(std::string_view last);
  void close();
  bool is_reading() const { return state_ == State::reading; }
  Clock::time_point since() const { return since_; }

 private:
  // A request and its response, which a stream does not need any more.
  struct Exchange {
    std::optional<http::request_parser<http::string_body>> parser;
    WebRequest request;
    const Route* route = nullptr;
    http::response<http::string_body> response;
    bool closes = false;
  };
  template <class Call>
  auto bind(Call call) {
    return [self = shared_from_this(), call](ErrorCode error, auto&&...) { call(error); };
  }
  bool is_obsolete(ErrorCode error) const;
  void on_header(ErrorCode error);
  void read_body();
  void refuse_or_close(ErrorCode error);
  void refuse_body();
  void on_body(ErrorCode error);
  void work();
  void respond(WebResponse response);
  void start_stream(WebResponse response);
  std::optional<WebResponse> refuse_stream() const;
  void begin_streaming();
  void start_pushed(WebResponse response);
  void pump_pushed();
  std::size_t send(std::string_view bytes);
  void pump_later();
  void wait_until_writable();
  void watch_reader();

  ServerLoop& loop_;
  Socket socket_;
  State state_ = State::reading;
  Clock::time_point since_;  // of the state, or of the last progress of a stream
  bool has_begun_ = true;    // bytes of the request came; the first one is expected at once
  boost::beast::flat_buffer buffer_;
  std::unique_ptr<Exchange> exchange_;
  std::unique_ptr<StreamSender> stream_;
  // Or a body that another thread writes, and the bytes of it that the client has not taken.
  std::shared_ptr<PushedBody> pushed_;
  std::string pending_;
  bool is_last_ = false;     // of these bytes
  bool is_blocked_ = false;  // the client of the stream takes no more now
};

void Connection::close() {
  if (!socket_.is_open()) return;
  if (stream_ || pushed_) --loop_.service.counts().streams;
  if (pushed_) pushed_->abandon();
  ErrorCode ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  socket_.close(ignored);
  loop_.leave(*this);
}

void Connection::read() {
  state_ = State::reading;
  since_ = loop_.now;
  exchange_ = std::make_unique<Exchange>();
  exchange_->parser.emplace();
  exchange_->parser->header_limit(static_cast<std::uint32_t>(loop_.limits.header_bytes));
  exchange_->parser->body_limit(loop_.limits.body_bytes);
  http::async_read_header(socket_, buffer_, *exchange_->parser, bind([this](ErrorCode error) { on_header(error); }));
}

// True if the result of a read does not matter any more. A read may end in the moment in which tick() refuses it.
bool Connection::is_obsolete(ErrorCode error) const {
  return !socket_.is_open() || error == asio::error::operation_aborted || state_ != State::reading;
}

void Connection::on_header(ErrorCode error) {
  if (is_obsolete(error)) return;
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    exchange_->closes = true;
    return respond(error_response(431, Code::usage, "the header has more than 16 KiB"));
  }
  if (error == http::error::body_limit) return refuse_body();
  if (error) return refuse_or_close(error);
  const auto& header = exchange_->parser->get();
  exchange_->closes = !exchange_->parser->keep_alive() || loop_.ends;
  exchange_->request = to_request(header);
  const bool has_body = exchange_->parser->chunked() || exchange_->parser->content_length().value_or(0) > 0;
  const std::string_view target(header.target().data(), header.target().size());
  auto decision = decide(target, has_body, exchange_->request, loop_.router, loop_.access, team::now());
  exchange_->route = decision.route;
  if (!decision.refusal) return has_body ? read_body() : work();
  // The rest of the request is not read.
  exchange_->closes = exchange_->closes || has_body;
  respond(std::move(*decision.refusal));
}

void Connection::read_body() {
  constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  if (exchange_->request.find_header("expect") == "100-continue") send(kContinue);
  http::async_read(socket_, buffer_, *exchange_->parser, bind([this](ErrorCode error) { on_body(error); }));
}

// Answers a malformed request. A client that has gone away gets no answer.
void Connection::refuse_or_close(ErrorCode error) {
  const bool is_malformed = error.category() == http::make_error_code(http::error::bad_method).category() &&
                            error != http::error::end_of_stream && error != http::error::partial_message;
  if (!is_malformed) return close();
  exchange_->closes = true;
  respond(error_response(400, Code::usage, "this is not a request of HTTP/1.1: " + error.message()));
}

void Connection::refuse_body() {
  exchange_->closes = true;
  respond(error_response(413, Code::usage, "the body has more than 1 MiB"));
}

void Connection::on_body(ErrorCode error) {
  if (is_obsolete(error)) return;
  if (error == http::error::body_limit) return refuse_body();
  if (error) return refuse_or_close(error);
  exchange_->request.body = std::move(exchange_->parser->get().body());
  work();
}

void Connection::work() {
  state_ = State::working;
  const Route& route = *exchange_->route;
  if (route.place == Route::Place::loop) return respond(answer(route, loop_.service, exchange_->request));
  ++loop_.working;
  // The connection returns to its own thread in any case, and ends there.
  auto& threads = route.kind == Route::Kind::read ? loop_.readers : loop_.changers;
  asio::post(threads, [self = shared_from_this(), &route]() mutable {
    auto response = std::make_unique<WebResponse>(answer(route, self->loop_.service, self->exchange_->request));
    ServerLoop& loop = self->loop_;
    asio::post(loop.context, [&loop, self = std::move(self), response = std::move(response)]() mutable {
      --loop.working;
      if (self->socket_.is_open()) self->respond(std::move(*response));
      else if (response->pushed) response->pushed->abandon();
      loop.stop_if_done();
    });
  });
}

void Connection::respond(WebResponse response) {
  ++loop_.service.counts().requests;
  if (response.status >= 400) ++loop_.service.counts().refused;
  if (response.stream && exchange_->request.method == "HEAD") response = without_events(*response.stream);
  if (response.stream) return start_stream(std::move(response));
  if (response.pushed) return start_pushed(std::move(response));
  state_ = State::writing;
  since_ = loop_.now;
  auto& to = exchange_->response;
  to.version(11);
  to.result(static_cast<unsigned>(response.status));
  for (const auto& [name, value] : headers_of(response, exchange_->request, exchange_->route, loop_.access)) {
    to.set(name, value);
  }
  to.body() = std::move(response.body);
  to.keep_alive(!exchange_->closes && !loop_.ends);
  to.prepare_payload();
  if (exchange_->request.method == "HEAD") to.body().clear();
  http::async_write(socket_, to, bind([this](ErrorCode error) {
                      if (!socket_.is_open()) return;
                      if (error || !exchange_->response.keep_alive() || loop_.ends) return close();
                      has_begun_ = buffer_.size() > 0;
                      read();
                    }));
}

// The reason why this response cannot be a stream; none if it can.
std::optional<WebResponse> Connection::refuse_stream() const {
  if (exchange_->parser->get().version() < 11) return error_response(400, Code::usage, "a stream needs HTTP/1.1");
  if (loop_.service.counts().streams < static_cast<std::int64_t>(loop_.limits.streams)) return std::nullopt;
  return error_response(503, Code::again, "there are too many streams (--max-streams)");
}

// From here on the connection has no request.
void Connection::begin_streaming() {
  exchange_.reset();
  buffer_.clear();
  buffer_.shrink_to_fit();
  state_ = State::streaming;
  since_ = loop_.now;
  ++loop_.service.counts().streams;
  socket_.set_option(Socket::send_buffer_size(64 * 1024));
}

void Connection::start_stream(WebResponse response) {
  if (auto refusal = refuse_stream()) return respond(std::move(*refusal));
  Followed* followed = nullptr;
  try {
    followed = &loop_.follow(response.stream->team);
  } catch (const Error& error) {
    return respond(error_response(error));
  }
  std::string head = stream_head(*response.stream, exchange_->request, loop_.access);
  stream_ = std::make_unique<StreamSender>(std::move(*response.stream), std::move(head), loop_.service.counts());
  begin_streaming();
  followed->streams.insert(this);
  watch_reader();
  pump();
}

void Connection::start_pushed(WebResponse response) {
  if (auto refusal = refuse_stream()) {
    response.pushed->abandon();
    return respond(std::move(*refusal));
  }
  pending_ = pushed_head(response, exchange_->request, exchange_->route, loop_.access);
  pushed_ = std::move(response.pushed);
  begin_streaming();
  pushed_->begin([self = shared_from_this()] { asio::post(self->loop_.context, [self] { self->pump_pushed(); }); });
  watch_reader();
  pump_pushed();
}

void Connection::pump_pushed() {
  if (!socket_.is_open() || is_blocked_) return;
  while (true) {
    if (pending_.empty()) {
      if (is_last_) return close();
      pushed_->sent();
      if (const std::string bytes = pushed_->take(); !bytes.empty()) pending_ = http_chunk(bytes);
      else if (!pushed_->has_ended()) return;
      else is_last_ = true;
      if (is_last_) pending_ = kLastChunk;
    }
    pending_.erase(0, send(pending_));
    if (!pending_.empty()) return wait_until_writable();
  }
}

// Notices when the client of a stream goes away. Discards all bytes that it sends.
void Connection::watch_reader() {
  socket_.async_wait(Socket::wait_read, bind([this](ErrorCode error) {
                       if (!socket_.is_open()) return;
                       char bytes[256];
                       const ssize_t got =
                           error ? 0 : ::recv(socket_.native_handle(), bytes, sizeof bytes, MSG_DONTWAIT);
                       const bool is_there = got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
                       if (is_there) watch_reader();
                       else close();
                     }));
}

// Returns how many bytes the client took.
std::size_t Connection::send(std::string_view bytes) {
  const ssize_t sent = ::send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent > 0) since_ = loop_.now;
  return sent > 0 ? static_cast<std::size_t>(sent) : 0;
}

void Connection::wait_until_writable() {
  if (std::exchange(is_blocked_, true)) return;
  since_ = loop_.now;
  socket_.async_wait(Socket::wait_write, bind([this](ErrorCode error) {
                       if (!socket_.is_open()) return;
                       if (error) return close();
                       is_blocked_ = false;
                       pump();
                     }));
}

// Lets other connections have their turn first.
void Connection::pump_later() {
  asio::post(loop_.context, [self = shared_from_this()] {
    if (self->socket_.is_open()) self->pump();
  });
}

// Sends what the client takes.
void Connection::pump() {
  if (pushed_) return pump_pushed();
  if (is_blocked_) return;
  try {
    EventFeed& feed = *loop_.follow(stream_->team()).feed;
    switch (stream_->send(feed, [this](std::string_view bytes) { return send(bytes); })) {
      case StreamSender::Sent::all: return;
      case StreamSender::Sent::some: return pump_later();
      case StreamSender::Sent::full: return wait_until_writable();
      case StreamSender::Sent::ended: break;
    }
  } catch (const Error&) {
    // The log cannot be read. The client connects again and gets the reason.
  }
  close();
}

void Connection::tick() {
  const auto waited = loop_.now - since_;
  switch (state_) {
    case State::reading:
      if (!has_begun_ && (buffer_.size() > 0 || exchange_->parser->got_some())) {
        has_begun_ = true;
        since_ = loop_.now;
      } else if (has_begun_ && waited > loop_.limits.request) {
        exchange_->closes = true;
        ErrorCode ignored;
        socket_.cancel(ignored);
        respond(error_response(408, Code::usage, "the request took more than 10 seconds"));
      } else if (!has_begun_ && waited > loop_.limits.keep_alive) {
        close();
      }
      return;
    case State::working: return;
    case State::writing:
      if (waited > loop_.limits.stuck) close();
      return;
    case State::streaming: break;
  }
  if (is_blocked_ && waited > loop_.limits.stuck) {
    socket_.set_option(Socket::linger(true, 0));
    return close();
  }
  if (is_blocked_ || waited <= loop_.limits.comment) return;
  if (stream_) stream_->comment();
  else if (pending_.empty()) pending_ = http_chunk(": \n\n");
  pump();
}

void Connection::end_stream(std::string_view last) {
  if (is_blocked_ || !stream_->end(last)) return close();
  pump();
}

void Connection::farewell() {
  if (state_ == State::reading) close();
  if (state_ == State::streaming && stream_) end_stream(": server ends\n\n");
  else if (state_ == State::streaming) close();
}

}  // namespace

void ServerLoop::accept() {
  door.async_wait(asio::posix::stream_descriptor::wait_read, [this](ErrorCode error) {
    constexpr int kAtOnce = 64;
    if (error || ends) return;
    if (connections.empty()) {
      now = Clock::now();
      tick();
    }
    bool is_short = false;
    for (int i = 0; i < kAtOnce; ++i) {
      Fd fd = listener.accept();
      if (!fd) {
        is_short = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
        break;
      }
      if (connections.size() >= limits.streams + limits.other_connections) drop_oldest_reader();
      if (connections.size() >= limits.streams + limits.other_connections) continue;  // closes it
      const int family = listener.address().is_unix() ? AF_UNIX : AF_INET;
      Socket socket(context, Protocol(family, 0), fd.release());
      auto connection = std::make_shared<Connection>(*this, std::move(socket));
      connections.emplace(connection.get(), connection);
      connection->read();
    }
    if (!is_short) return accept();
    // Without a free descriptor the door stays readable: try again after the next tick.
    auto pause = std::make_shared<asio::steady_timer>(context, std::chrono::milliseconds(100));
    pause->async_wait([this, pause](ErrorCode stopped) {
      if (!stopped) accept();
    });
  });
}

// Makes room: a client that is slow to ask yields to a new one.
void ServerLoop::drop_oldest_reader() {
  Connection* oldest = nullptr;
  for (const auto& [connection, owner] : connections) {
    if (connection->is_reading() && (oldest == nullptr || connection->since() < oldest->since())) oldest = connection;
  }
  if (oldest != nullptr) oldest->close();
}

void ServerLoop::tick() {
  timer.expires_after(std::chrono::seconds(1));
  timer.async_wait([this](ErrorCode error) {
    if (error || ends || connections.empty()) return;
    now = Clock::now();
    const auto present = connections;  // a tick may close some
    for (const auto& [connection, owner] : present) {
      if (connections.contains(connection)) connection->tick();
    }
    tick();
  });
}

void ServerLoop::leave(Connection& connection) {
  for (auto& [name, followed] : teams) followed.streams.erase(&connection);
  connections.erase(&connection);
  stop_if_done();
}

void ServerLoop::stop_if_done() {
  if (ends && connections.empty() && working == 0) context.stop();
}

Followed& ServerLoop::follow(const std::string& team) {
  const auto found = teams.find(team);
  if (found != teams.end()) return found->second;
  auto opened = service.engine().open_team(service.engine().get(team));
  auto feed = std::make_unique<EventFeed>(std::move(opened),
                                          [this, team] { asio::post(context, [this, team] { deliver(team); }); });
  return teams.emplace(team, Followed{std::move(feed), {}}).first->second;
}

void ServerLoop::deliver(const std::string& team) {
  const auto found = teams.find(team);
  if (found == teams.end() || ends) return;
  found->second.feed->collect();
  const bool is_over = found->second.feed->is_over();
  const auto streams = found->second.streams;  // some may leave
  for (Connection* stream : streams) {
    if (!connections.contains(stream)) continue;
    const auto owner = connections.at(stream);
    stream->pump();
    if (is_over && connections.contains(stream)) stream->end_stream("event: deleted\ndata: {}\n\n");
  }
  if (is_over) teams.erase(team);
}

void ServerLoop::end() {
  ends = true;
  ErrorCode ignored;
  door.cancel(ignored);
  const auto present = connections;
  for (const auto& [connection, owner] : present) {
    if (connections.contains(connection)) connection->farewell();
  }
  stop_if_done();
  timer.expires_after(limits.farewell);
  timer.async_wait([this](ErrorCode error) {
    if (!error) context.stop();
  });
}

Server::Server(const Listener& listener, const Service& service, const Router& router, Access& access,
               ServerLimits limits)
    : loop_(new ServerLoop{listener, service, router, access, limits}) {}

Server::~Server() {
  // A worker may wait for a lock. Its request was not answered, so it may be cut off.
  if (loop_->working > 0) ::_exit(0);
  loop_->readers.join();
  loop_->changers.join();
  // These use the context, also from threads of their own.
  const auto left = loop_->connections;
  for (const auto& [connection, owner] : left) connection->close();
  loop_->teams.clear();
}

void Server::run() {
  loop_->door.assign(loop_->listener.fd());
  loop_->signals.async_wait([this](ErrorCode error, int) {
    if (!error) loop_->end();
  });
  loop_->accept();
  loop_->context.run();
  loop_->door.release();
}

}  // namespace team
