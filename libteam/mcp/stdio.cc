#include "libteam/mcp/stdio.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include "libteam/base/error.h"
#include "libteam/mcp/server.h"
#include "libteam/system/signals.h"

namespace team {

namespace {

class StdioLoop {
 public:
  StdioLoop(std::shared_ptr<McpFeatures> features, int in, int out)
      : features_(std::move(features)), in_(in), out_(out), server_(deliveries_, [this] { return sent_by_client(); }) {}

  void run() {
    while (!ends_) {
      while (const auto line = lines_.next()) receive(*line);
      std::erase_if(calls_, [](const auto& call) { return call->step(); });
      if (!ends_) sleep();
    }
  }

 private:
  void receive(const LineSplitter::Line& line) {
    if (line.is_too_long) {
      const auto code = static_cast<int>(RpcCode::invalid_request);
      send(rpc_error("", code, fmt::format("a message has more than {} bytes", kLargestMcpMessage)));
      return;
    }
    const auto receipt = server_.receive(line.text, {features_, sender(), line.offset});
    if (receipt.call) start(receipt.call);
    // The first subscription of a client that initialized begins to be watched.
    if (!is_listening_ && server_.has_subscriptions()) {
      is_listening_ = true;
      start(server_.listen(features_, sender()));
    }
  }

  // The watch begins before the first step, so that no change is missed.
  void start(std::shared_ptr<McpCall> call) {
    if (!waiting_) waiting_ = call->begin_waiting({in_, signals_.fd()});
    calls_.push_back(std::move(call));
  }

  void sleep() {
    Deadline due = Deadline::never();
    for (const auto& call : calls_) due = due.or_at(call->due());
    if (calls_.empty()) waiting_.reset();
    if (waiting_) waiting_->wait(due);
    std::array<pollfd, 2> polled = {pollfd{in_, POLLIN, 0}, pollfd{signals_.fd(), POLLIN, 0}};
    if (::poll(polled.data(), polled.size(), waiting_ ? 0 : -1) < 0 && errno != EINTR)
      fail_errno("cannot wait for", "stdin");
    if (polled[1].revents != 0) ends_ = true;
    else if (polled[0].revents != 0) read();
  }

  void read() {
    std::array<char, 64 * 1024> bytes;
    const ssize_t got = ::read(in_, bytes.data(), bytes.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got < 0) fail_errno("cannot read", "stdin");
    if (got == 0) ends_ = true;
    received_ += static_cast<std::uint64_t>(got);
    lines_.add({bytes.data(), static_cast<std::size_t>(got)});
  }

  // All bytes that the client has sent up to now, also those that nobody has read yet.
  std::uint64_t sent_by_client() const {
    int waiting = 0;
    ::ioctl(in_, FIONREAD, &waiting);
    return received_ + static_cast<std::uint64_t>(std::max(waiting, 0));
  }

  McpSend sender() {
    return [this](const std::string& message) { return send(message); };
  }

  bool send(std::string message) {
    message += '\n';
    std::string_view rest = message;
    while (!rest.empty() && !ends_) {
      const ssize_t put = ::write(out_, rest.data(), rest.size());
      if (put >= 0) rest.remove_prefix(static_cast<std::size_t>(put));
      else if (errno == EAGAIN) await_writable();
      else if (errno == EPIPE) ends_ = true;
      else if (errno != EINTR) fail_errno("cannot write", "stdout");
    }
    return rest.empty();
  }

  void await_writable() const {
    pollfd polled{out_, POLLOUT, 0};
    ::poll(&polled, 1, -1);
  }

  const Signals signals_;
  std::shared_ptr<McpFeatures> features_;
  int in_, out_;
  LineSplitter lines_{kLargestMcpMessage};
  std::uint64_t received_ = 0;
  McpDeliveries deliveries_;
  McpServer server_;
  std::vector<std::shared_ptr<McpCall>> calls_;
  std::unique_ptr<McpWaiting> waiting_;  // while there are calls
  bool is_listening_ = false;
  bool ends_ = false;
};

}  // namespace

void serve_stdio(const std::shared_ptr<McpFeatures>& features, int in, int out) { StdioLoop(features, in, out).run(); }

}  // namespace team
