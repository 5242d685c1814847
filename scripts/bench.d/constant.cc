// constant FILE - a server of Boost.Beast that answers every request with the contents of a file
//
// One thread, and nothing around the library: no routes, no access rules, no limits. Prints its port.
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Acceptor = asio::basic_socket_acceptor<asio::ip::tcp, asio::io_context::executor_type>;
using Socket = asio::basic_stream_socket<asio::ip::tcp, asio::io_context::executor_type>;

std::string body;

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  explicit Connection(Socket socket) : socket_(std::move(socket)) {}

  void read() {
    request_ = {};
    http::async_read(socket_, buffer_, request_, [self = shared_from_this()](auto error, auto) {
      if (!error) self->write();
    });
  }

 private:
  void write() {
    response_ = {};
    response_.version(11);
    response_.set("Content-Type", "application/json");
    response_.body() = body;
    response_.prepare_payload();
    http::async_write(socket_, response_, [self = shared_from_this()](auto error, auto) {
      if (!error) self->read();
    });
  }

  Socket socket_;
  boost::beast::flat_buffer buffer_;
  http::request<http::string_body> request_;
  http::response<http::string_body> response_;
};

void accept(Acceptor& door) {
  door.async_accept([&door](auto error, Socket socket) {
    if (!error) std::make_shared<Connection>(std::move(socket))->read();
    accept(door);
  });
}

}  // namespace

int main(int, char** argv) {
  std::ifstream file(argv[1]);
  body.assign(std::istreambuf_iterator<char>(file), {});
  asio::io_context context(1);
  Acceptor door(context, asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  std::printf("%d\n", door.local_endpoint().port());
  std::fflush(stdout);
  accept(door);
  context.run();
}
