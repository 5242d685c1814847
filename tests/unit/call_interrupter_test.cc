// The interrupter of model calls: it triggers on a signal, urgent mail or the deadline, and no trigger is lost.
#include "libteam/agent/model/call_interrupter.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "libteam/store/files/file_watcher.h"
#include "tests/unit/check.h"

using namespace team;

namespace {

class Place {
 public:
  Place() {
    char pattern[] = "/tmp/teamkit-doorbell-XXXXXX";
    path_ = ::mkdtemp(pattern);
    folder_ = std::make_shared<const Folder>(*Folder::find(path_));
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { std::filesystem::remove_all(path_); }
  void touch(const std::string& name) const { std::ofstream(path_ + "/" + name) << "x"; }
  void touch_mail() const { touch("ann_inbox.jsonl"); }
  // Of the mail of ann.
  std::unique_ptr<Watcher> watch() const {
    auto watcher = std::make_unique<FileWatcher>();
    watcher->begin(folder_);
    watcher->watch_inbox("ann");
    return watcher;
  }

 private:
  std::string path_;
  std::shared_ptr<const Folder> folder_;
};

const Signals& signals() {
  static const Signals all;
  return all;
}

bool triggers(const CallInterrupter& interrupter, int within_ms = 10'000) {
  pollfd waiting{interrupter.fd(), POLLIN, 0};
  return ::poll(&waiting, 1, within_ms) > 0;
}

bool nothing() { return false; }

void silence() {
  const Place place;
  const CallInterrupter interrupter(place.watch(), signals(), nothing, Deadline::never());
  place.touch_mail();
  CHECK(!triggers(interrupter, 100));
}

void urgent_from_the_start() {
  const Place place;
  const CallInterrupter interrupter(
      place.watch(), signals(), [] { return true; }, Deadline::never());
  CHECK(triggers(interrupter));
}

void urgent_later() {
  const Place place;
  std::atomic<bool> urgent = false;
  std::atomic<int> looks = 0;
  const auto is_urgent = [&] {
    ++looks;
    return urgent.load();
  };
  CallInterrupter interrupter(place.watch(), signals(), is_urgent, Deadline::never());
  place.touch_mail();
  CHECK(!triggers(interrupter, 50));
  urgent = true;
  place.touch_mail();
  CHECK(triggers(interrupter));
  CHECK(triggers(interrupter, 0));  // until rest() is called

  // The mail is still urgent, so it triggers again.
  interrupter.rest();
  CHECK(triggers(interrupter));
  urgent = false;
  interrupter.rest();
  CHECK(!triggers(interrupter, 50));
  CHECK(looks > 0);
}

// Other changes in the team cause no check.
void other_changes() {
  const Place place;
  std::atomic<int> looks = 0;
  std::atomic<bool> urgent = false;
  const auto is_urgent = [&] {
    ++looks;
    return urgent.load();
  };
  CallInterrupter interrupter(place.watch(), signals(), is_urgent, Deadline::never());
  while (looks == 0) std::this_thread::yield();
  const int before = looks;
  urgent = true;
  for (int i = 0; i < 20; ++i) place.touch("events.jsonl");
  place.touch("bob_inbox.jsonl");
  CHECK(!triggers(interrupter, 100));
  CHECK(looks == before);
  place.touch_mail();
  CHECK(triggers(interrupter));
}

void at_a_signal() {
  const Place place;
  CallInterrupter interrupter(place.watch(), signals(), nothing, Deadline::never());
  CHECK(!triggers(interrupter, 30));
  ::kill(::getpid(), SIGTERM);
  CHECK(triggers(interrupter));
  interrupter.rest();
  CHECK(triggers(interrupter));  // the signal was not taken
  CHECK(signals().take() == SIGTERM);
  interrupter.rest();
  CHECK(!triggers(interrupter, 50));
  ::kill(::getpid(), SIGINT);
  CHECK(triggers(interrupter));
  CHECK(signals().take() == SIGINT);
}

void an_earlier_signal() {
  const Place place;
  ::kill(::getpid(), SIGHUP);
  const CallInterrupter interrupter(place.watch(), signals(), nothing, Deadline::never());
  CHECK(triggers(interrupter));
  CHECK(signals().take() == SIGHUP);
}

void at_the_deadline() {
  const Place place;
  const Deadline deadline = Deadline::in(0.5);
  CallInterrupter interrupter(place.watch(), signals(), nothing, deadline);
  CHECK(!triggers(interrupter, 20));
  CHECK(triggers(interrupter));
  CHECK(deadline.passed());
  interrupter.rest();
  CHECK(triggers(interrupter));
}

// A failing disk is reported when the mail is read. It must not hide a signal.
void failing_disk() {
  const Place place;
  const auto refuses = []() -> bool { fail(Code::io, "no"); };
  const CallInterrupter interrupter(place.watch(), signals(), refuses, Deadline::never());
  place.touch_mail();
  CHECK(!triggers(interrupter, 50));
  ::kill(::getpid(), SIGTERM);
  CHECK(triggers(interrupter));
  signals().take();
}

// An event just before or during rest() triggers again.
void no_trigger_is_lost() {
  const Place place;
  std::atomic<int> came = 0, heard = 0;
  CallInterrupter interrupter(
      place.watch(), signals(), [&] { return came.load() > heard.load(); }, Deadline::never());
  int lost = 0;
  constexpr int kRounds = 2000;
  std::thread sender([&] {
    for (int i = 0; i < kRounds; ++i) {
      while (came.load() > heard.load() + (i % 3)) std::this_thread::yield();
      ++came;
      place.touch_mail();
    }
  });
  while (heard.load() < kRounds && lost == 0) {
    if (!triggers(interrupter, 5000)) {
      ++lost;
      heard = kRounds;  // so that the sender ends
    } else {
      heard = came.load();
      interrupter.rest();
    }
  }
  sender.join();
  CHECK(lost == 0);
}

void rests_that_race() {
  const Place place;
  CallInterrupter interrupter(
      place.watch(), signals(), [] { return true; }, Deadline::never());
  for (int i = 0; i < 2000; ++i) {
    if (!triggers(interrupter, 5000)) {
      CHECK(i < 0);
      return;
    }
    interrupter.rest();
    if (i % 2 == 0) interrupter.rest();
  }
  CHECK(triggers(interrupter));
}

void ends_promptly() {
  const Place place;
  const double start = now();
  for (int i = 0; i < 200; ++i) {
    CallInterrupter interrupter(
        place.watch(), signals(), [&] { return i % 3 == 0; }, Deadline::in(i % 5 == 0 ? 0 : 1000));
    if (i % 2 == 0) interrupter.rest();
    if (i % 7 == 0) place.touch_mail();
  }
  CHECK(now() - start < 10);
}

}  // namespace

int main() {
  ::signal(SIGHUP, SIG_DFL);  // nohup makes the process ignore it
  signals();
  silence();
  urgent_from_the_start();
  urgent_later();
  other_changes();
  at_a_signal();
  an_earlier_signal();
  at_the_deadline();
  failing_disk();
  no_trigger_is_lost();
  rests_that_race();
  ends_promptly();
  return test::report();
}
