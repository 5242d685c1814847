// A line that tells a person who waits how far things are: on stderr if that is a terminal, and else nowhere.
//
// It is drawn by a thread of its own whenever the board changes, and each second for the time; a large board is looked
// at less often. What else is said on the terminal must be said while it is hidden.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "libteam/record/task.h"
#include "libteam/record/team.h"
#include "libteam/store/files/root.h"
#include "libteam/system/event_fd.h"
#include "libteam/system/process.h"

namespace team {

class Progress {
 public:
  // `team` may be null: then it is about the default board. Of the tasks only `tasks` count, or all if there are none.
  // `root` outlives this. A command that knows nothing of signals leaves them to this: they end it, and the line is
  // wiped first.
  enum class Ending { by_signals, by_itself };
  Progress(const Root& root, const Team* team, Ending ending, std::vector<TaskId> tasks = {});
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // Wipes it.
  ~Progress();

  void hide();
  void show();

  // Wiped as long as this exists.
  class Pause {
   public:
    explicit Pause(Progress& progress);

   private:
    std::unique_lock<std::mutex> lock_;
  };

 private:
  void wipe();
  void run();
  void draw(const std::string& text);
  void end_by(int signal);

  const Root& root_;
  std::optional<Team> team_;
  std::set<TaskId> tasks_;
  std::optional<Signals> signals_;
  std::mutex mutex_;
  bool is_hidden_ = false;
  std::string drawn_;
  EventFd end_;
  std::optional<std::thread> thread_;  // none where nobody looks
};

// Says something while the line is out of the way; gives what `say` gives.
template <class Say>
auto say_beside(Progress& progress, Say say) {
  const Progress::Pause pause(progress);
  return say();
}

}  // namespace team
