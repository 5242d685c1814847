#include "libteam/store/postgres/change_listener.h"

#include <poll.h>

#include <cerrno>

namespace team {

namespace {

constexpr double kPauseBetweenTries = 0.5;

}  // namespace

ChangeListener::ChangeListener(std::shared_ptr<const Database> database) : database_(std::move(database)) { connect(); }

void ChangeListener::connect() {
  connection_.reset();
  auto made = database_->connect();
  made->run({fmt::format("listen \"{}\"", database_->channel()), {}}, Deadline::in(5));
  connection_ = std::move(made);
}

ChangeListener::Heard ChangeListener::wait(const Deadline& deadline, const std::vector<int>& descriptors) {
  while (true) {
    Heard heard;
    try {
      if (!connection_) {
        connect();
        heard.everything = true;
        return heard;
      }
      heard.topics = connection_->hear();
    } catch (const ConnectionLost&) {
      connection_.reset();
    } catch (const Error& error) {
      if (error.code() != Code::unavailable) throw;
    }
    if (heard.any()) return heard;
    std::vector<pollfd> waiting;
    for (const int fd : descriptors) waiting.push_back({fd, POLLIN, 0});
    if (connection_) waiting.push_back({connection_->socket(), POLLIN, 0});
    const Deadline next = connection_ ? deadline : deadline.or_in(kPauseBetweenTries);
    if (::poll(waiting.data(), waiting.size(), next.left_ms()) < 0 && errno != EINTR) {
      fail_errno("cannot wait for", "the store");
    }
    for (std::size_t i = 0; i < descriptors.size(); ++i) heard.woken = heard.woken || waiting[i].revents != 0;
    if (heard.woken) return heard;
    if (deadline.passed()) {
      // What came with the deadline is not left for the next wait.
      if (connection_) heard.topics = connection_->hear();
      return heard;
    }
  }
}

}  // namespace team
