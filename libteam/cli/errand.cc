#include "libteam/cli/errand.h"

#include "libteam/base/error.h"

namespace team {

Errands::Errands() : thread_([this] { work(); }) {}

Errands::~Errands() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Errands::run(std::function<std::string()> errand) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(errand));
  }
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
    lock.unlock();
    Done done;
    try {
      done.text = errand();
    } catch (const Error& error) {
      done = {false, fmt::format("{}: {}", name_of(error.code()), error.what())};
    } catch (const std::exception& error) {
      done = {false, error.what()};
    }
    lock.lock();
    done_.push_back(std::move(done));
    bell_.ring();
  }
}

}  // namespace team
