#include "libteam/cli/errand.h"

namespace team {

Errands::~Errands() { finish(); }

std::optional<Error> Errands::finish() {
  std::size_t dropped = 0;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    // What was asked for just now is under way for whoever asked, also if the thread has yet to wake up.
    const std::size_t kept = works_ || waiting_.empty() ? 0 : 1;
    dropped = waiting_.size() - kept;
    waiting_.resize(kept);
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
  for (const Done& done : done_) {
    if (done.error) return done.error;
  }
  if (dropped == 0) return std::nullopt;
  return Error(Code::again,
               fmt::format("{} of the things asked for {} not done", dropped, dropped > 1 ? "were" : "was"));
}

void Errands::run(std::function<std::string()> errand) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(errand));
  }
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  changed_.notify_one();
}

std::optional<Done> Errands::take() {
  const std::lock_guard lock(mutex_);
  bell_.take();
  if (done_.empty()) return std::nullopt;
  Done done = std::move(done_.front());
  done_.pop_front();
  if (!done_.empty()) bell_.ring();
  return done;
}

void Errands::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ends_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const auto errand = std::move(waiting_.front());
    waiting_.pop_front();
    works_ = true;
    lock.unlock();
    Done done;
    try {
      done.text = errand();
    } catch (const Error& error) {
      done.error = error;
    } catch (const std::exception& error) {
      done.error = Error(Code::io, error.what());
    }
    lock.lock();
    works_ = false;
    done_.push_back(std::move(done));
    bell_.ring();
  }
}

}  // namespace team
