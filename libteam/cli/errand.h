// Things that take a while, done one after the other on a thread of their own, so that a screen does not stand still.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "libteam/base/error.h"
#include "libteam/system/bell.h"

namespace team {

// What became of one.
struct Done {
  std::string text;
  std::optional<Error> error;
};

class Errands {
 public:
  Errands() = default;
  Errands(const Errands&) = delete;
  Errands& operator=(const Errands&) = delete;
  // As finish().
  ~Errands();

  // `errand` gives one line about what it did, or throws.
  void run(std::function<std::string()> errand);
  // The next that is done; none if none is.
  std::optional<Done> take();
  // Waits for the one that is under way and drops the others; the first trouble that nobody took, if there is any. It
  // is `again` if all that is wrong is that some were dropped.
  std::optional<Error> finish();
  // Can be read from when there is one to take.
  int fd() const { return bell_.fd(); }

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<std::string()>> waiting_;
  std::deque<Done> done_;
  bool ends_ = false;
  bool works_ = false;  // on one
  Bell bell_;
  std::thread thread_;  // from the first one on
};

}  // namespace team
