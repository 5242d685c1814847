// Things that take a while, done one after the other on a thread of their own, so that a screen does not stand still.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "libteam/system/bell.h"

namespace team {

// What became of one.
struct Done {
  bool well = true;
  std::string text;
};

class Errands {
 public:
  Errands();
  Errands(const Errands&) = delete;
  Errands& operator=(const Errands&) = delete;
  // When all of them are done.
  ~Errands();

  // `errand` gives one line about what it did, or throws.
  void run(std::function<std::string()> errand);
  // The next that is done; none if none is.
  std::optional<Done> take();
  // Can be read from when there is one to take.
  int fd() const { return bell_.fd(); }

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<std::string()>> waiting_;
  std::deque<Done> done_;
  bool ends_ = false;
  Bell bell_;
  std::thread thread_;
};

}  // namespace team
