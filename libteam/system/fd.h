// A file descriptor that is closed when its owner goes.
#pragma once

#include <string_view>

namespace team {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept;
  ~Fd();
  int get() const { return fd_; }
  int release();
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// Writes all of `text`, in spite of short writes and interruptions. False, with errno set, on failure.
bool write_all(int fd, std::string_view text);

}  // namespace team
