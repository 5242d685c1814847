// The bell for who is in a call: it rings for a signal, for what is urgent, at the deadline, and no ring is lost.
#include "libteam/agent/model/call_interrupter.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "tests/unit/check.h"

using namespace team;

namespace {

class Place {
 public:
  Place() {
    char pattern[] = "/tmp/teamkit-doorbell-XXXXXX";
    path_ = ::mkdtemp(pattern);
    folder = Folder::find(path_);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { std::filesystem::remove_all(path_); }
  void touch(const std::string& name) const { std::ofstream(path_ + "/" + name) << "x"; }

  std::optional<Folder> folder;

 private:
  std::string path_;
};

const Signals& signals() {
  static const Signals all;
  return all;
}

bool rings(const CallInterrupter& bell, int within_ms = 10'000) {
  pollfd waiting{bell.fd(), POLLIN, 0};
  return ::poll(&waiting, 1, within_ms) > 0;
}

bool nothing() { return false; }

void silence() {
  const Place place;
  const CallInterrupter bell(*place.folder, signals(), nothing, Deadline::never());
  place.touch("something");
  CHECK(!rings(bell, 100));
}

void urgent_from_the_start() {
  const Place place;
  const CallInterrupter bell(
      *place.folder, signals(), [] { return true; }, Deadline::never());
  CHECK(rings(bell));
}

void urgent_later() {
  const Place place;
  std::atomic<bool> urgent = false;
  std::atomic<int> looks = 0;
  const auto is_urgent = [&] {
    ++looks;
    return urgent.load();
  };
  CallInterrupter bell(*place.folder, signals(), is_urgent, Deadline::never());
  place.touch("mail");
  CHECK(!rings(bell, 50));
  urgent = true;
  place.touch("more mail");
  CHECK(rings(bell));
  CHECK(rings(bell, 0));  // until somebody looks

  // Looked after, and it is still so: rings again.
  bell.rest();
  CHECK(rings(bell));
  urgent = false;
  bell.rest();
  CHECK(!rings(bell, 50));
  CHECK(looks > 0);
}

// Of a folder in which much else changes only one file is of interest.
void one_file() {
  const Place place;
  std::atomic<int> looks = 0;
  std::atomic<bool> urgent = false;
  const auto is_urgent = [&] {
    ++looks;
    return urgent.load();
  };
  CallInterrupter bell(*place.folder, signals(), is_urgent, Deadline::never(), "mail");
  while (looks == 0) std::this_thread::yield();
  const int before = looks;
  urgent = true;
  for (int i = 0; i < 20; ++i) place.touch("events");
  CHECK(!rings(bell, 100));
  CHECK(looks == before);
  place.touch("mail");
  CHECK(rings(bell));
}

void at_a_signal() {
  const Place place;
  CallInterrupter bell(*place.folder, signals(), nothing, Deadline::never());
  CHECK(!rings(bell, 30));
  ::kill(::getpid(), SIGTERM);
  CHECK(rings(bell));
  bell.rest();
  CHECK(rings(bell));  // nobody has taken it
  CHECK(signals().take() == SIGTERM);
  bell.rest();
  CHECK(!rings(bell, 50));
  ::kill(::getpid(), SIGINT);
  CHECK(rings(bell));
  CHECK(signals().take() == SIGINT);
}

void a_signal_from_before() {
  const Place place;
  ::kill(::getpid(), SIGHUP);
  const CallInterrupter bell(*place.folder, signals(), nothing, Deadline::never());
  CHECK(rings(bell));
  CHECK(signals().take() == SIGHUP);
}

void at_the_deadline() {
  const Place place;
  const Deadline deadline = Deadline::in(0.5);
  CallInterrupter bell(*place.folder, signals(), nothing, deadline);
  CHECK(!rings(bell, 20));
  CHECK(rings(bell));
  CHECK(deadline.passed());
  bell.rest();
  CHECK(rings(bell));
}

// A disk that refuses is found by who looks at the mail itself; a signal is not to be lost over it.
void trouble() {
  const Place place;
  const auto refuses = []() -> bool { fail(Code::io, "no"); };
  const CallInterrupter bell(*place.folder, signals(), refuses, Deadline::never());
  place.touch("mail");
  CHECK(!rings(bell, 50));
  ::kill(::getpid(), SIGTERM);
  CHECK(rings(bell));
  signals().take();
}

// What comes while the last ring is looked after, or just before, rings too.
void no_ring_is_lost() {
  const Place place;
  std::atomic<int> came = 0, heard = 0;
  CallInterrupter bell(
      *place.folder, signals(), [&] { return came.load() > heard.load(); }, Deadline::never());
  int lost = 0;
  constexpr int kRounds = 2000;
  std::thread sender([&] {
    for (int i = 0; i < kRounds; ++i) {
      while (came.load() > heard.load() + (i % 3)) std::this_thread::yield();
      ++came;
      place.touch("mail");
    }
  });
  while (heard.load() < kRounds && lost == 0) {
    if (!rings(bell, 5000)) {
      ++lost;
      heard = kRounds;  // so that the sender ends
    } else {
      heard = came.load();
      bell.rest();
    }
  }
  sender.join();
  CHECK(lost == 0);
}

void rests_that_race() {
  const Place place;
  CallInterrupter bell(
      *place.folder, signals(), [] { return true; }, Deadline::never());
  for (int i = 0; i < 2000; ++i) {
    if (!rings(bell, 5000)) {
      CHECK(i < 0);
      return;
    }
    bell.rest();
    if (i % 2 == 0) bell.rest();
  }
  CHECK(rings(bell));
}

void ends_promptly() {
  const Place place;
  const double start = now();
  for (int i = 0; i < 200; ++i) {
    CallInterrupter bell(
        *place.folder, signals(), [&] { return i % 3 == 0; }, Deadline::in(i % 5 == 0 ? 0 : 1000));
    if (i % 2 == 0) bell.rest();
    if (i % 7 == 0) place.touch("mail");
  }
  CHECK(now() - start < 10);
}

}  // namespace

int main() {
  ::signal(SIGHUP, SIG_DFL);  // nohup has us ignore it
  signals();
  silence();
  urgent_from_the_start();
  urgent_later();
  one_file();
  at_a_signal();
  a_signal_from_before();
  at_the_deadline();
  trouble();
  no_ring_is_lost();
  rests_that_race();
  ends_promptly();
  return test::report();
}
