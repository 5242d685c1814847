#include "libteam/serve/pushed_body.h"

#include <utility>

namespace team {

bool PushedBody::push(std::string_view bytes) {
  const std::lock_guard guard(mutex_);
  if (is_gone_) return false;
  bytes_ += bytes;
  if (wake_) wake_();
  return true;
}

bool PushedBody::deliver(std::string_view bytes) {
  if (!push(bytes)) return false;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_gone_ || (bytes_.empty() && !is_sending_); });
  return !is_gone_;
}

void PushedBody::end() {
  const std::lock_guard guard(mutex_);
  has_ended_ = true;
  if (wake_) wake_();
}

void PushedBody::on_gone(std::function<void()> gone) {
  {
    const std::lock_guard guard(mutex_);
    if (!is_gone_) {
      gone_ = std::move(gone);
      return;
    }
  }
  gone();
}

void PushedBody::begin(std::function<void()> wake) {
  const std::lock_guard guard(mutex_);
  wake_ = std::move(wake);
}

std::string PushedBody::take() {
  const std::lock_guard guard(mutex_);
  is_sending_ = is_sending_ || !bytes_.empty();
  return std::exchange(bytes_, "");
}

void PushedBody::sent() {
  const std::lock_guard guard(mutex_);
  is_sending_ = false;
  changed_.notify_all();
}

bool PushedBody::has_ended() const {
  const std::lock_guard guard(mutex_);
  return has_ended_ && bytes_.empty();
}

void PushedBody::abandon() {
  std::function<void()> gone;
  {
    const std::lock_guard guard(mutex_);
    is_gone_ = true;
    wake_ = nullptr;
    gone = std::exchange(gone_, nullptr);
    changed_.notify_all();
  }
  if (gone) gone();
}

}  // namespace team
