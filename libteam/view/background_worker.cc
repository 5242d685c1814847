#include "libteam/view/background_worker.h"

namespace team {

BackgroundWorker::~BackgroundWorker() { finish(); }

std::optional<Error> BackgroundWorker::finish() {
  std::size_t dropped = 0;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    // A queued job counts as running even if the thread has not woken up yet.
    const std::size_t kept = is_running_ || waiting_.empty() ? 0 : 1;
    dropped = waiting_.size() - kept;
    waiting_.resize(kept);
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
  for (const Done& done : done_) {
    if (done.error) return done.error;
  }
  if (dropped == 0) return std::nullopt;
  return Error(Code::again, fmt::format("{} queued action{} not done", dropped, dropped > 1 ? "s were" : " was"));
}

void BackgroundWorker::run(std::function<std::string()> job) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(job));
  }
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  changed_.notify_one();
}

std::optional<Done> BackgroundWorker::take() {
  const std::lock_guard lock(mutex_);
  result_ready_.take();
  if (done_.empty()) return std::nullopt;
  Done done = std::move(done_.front());
  done_.pop_front();
  if (!done_.empty()) result_ready_.ring();
  return done;
}

void BackgroundWorker::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ends_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const auto job = std::move(waiting_.front());
    waiting_.pop_front();
    is_running_ = true;
    lock.unlock();
    Done done;
    try {
      done.text = job();
    } catch (const Error& error) {
      done.error = error;
    } catch (const std::exception& error) {
      done.error = Error(Code::io, error.what());
    }
    lock.lock();
    is_running_ = false;
    done_.push_back(std::move(done));
    result_ready_.ring();
  }
}

}  // namespace team
