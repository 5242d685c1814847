// The body of a response that another thread writes while the server sends it.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace team {

class PushedBody {
 public:
  // The writer.

  // Appends bytes, and returns without waiting. False if the client is gone.
  bool push(std::string_view bytes);
  // Appends bytes and waits until the system has them. False if the client went away before that.
  bool deliver(std::string_view bytes);
  // No bytes will follow.
  void end();
  // Calls `gone` when the client goes away; at once if it is gone.
  void on_gone(std::function<void()> gone);

  // The server.

  // Calls `wake`, from any thread, when there is something to take. It is not called any more after abandon().
  void begin(std::function<void()> wake);
  // The bytes that were appended since the last call.
  std::string take();
  // All bytes that take() returned were sent.
  void sent();
  bool has_ended() const;
  // The client went away: nothing more will be sent.
  void abandon();

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string bytes_;
  bool is_sending_ = false;  // bytes were taken and not yet sent
  bool has_ended_ = false;
  bool is_gone_ = false;
  std::function<void()> wake_, gone_;
};

}  // namespace team
