// Runs slow jobs one after the other on a thread of its own, so that a screen stays responsive.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "libteam/base/error.h"
#include "libteam/system/event_fd.h"

namespace team {

// The result of a job.
struct Done {
  std::string text;
  std::optional<Error> error;
};

class BackgroundWorker {
 public:
  BackgroundWorker() = default;
  BackgroundWorker(const BackgroundWorker&) = delete;
  BackgroundWorker& operator=(const BackgroundWorker&) = delete;
  // Calls finish().
  ~BackgroundWorker();

  // Queues `job`, which returns one line about its effect or throws.
  void run(std::function<std::string()> job);
  // The next finished job; none if there is none.
  std::optional<Done> take();
  // Waits for the running job and drops queued jobs. Returns the first error that was not fetched with take(), if any;
  // `again` if jobs were dropped and nothing else is wrong.
  std::optional<Error> finish();
  // Readable when take() has a result.
  int fd() const { return result_ready_.fd(); }

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<std::string()>> waiting_;
  std::deque<Done> done_;
  bool ends_ = false;
  bool is_running_ = false;  // a job is running
  EventFd result_ready_;
  std::thread thread_;  // started with the first job
};

}  // namespace team
