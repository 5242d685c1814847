// A progress line for a waiting person: on stderr if that is a terminal, else nowhere.
//
// A thread draws it whenever the board changes, and each second for the time; it looks at a large board less often.
// Hide the line while anything else is written to the terminal.
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
#include "libteam/store/engine.h"
#include "libteam/system/event_fd.h"
#include "libteam/system/signals.h"

namespace team {

class Progress {
 public:
  // `team` may be null: then it is about the default board. Only `tasks` count, or all tasks if there are none.
  // `engine` outlives this. With `by_signals` this object handles the signals that end the command, and removes the
  // line first.
  enum class Ending { by_signals, by_itself };
  Progress(const Engine& engine, const Team* team, Ending ending, std::vector<TaskId> tasks = {});
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // Removes the line.
  ~Progress();

  void hide();
  void show();

  // Hides the line as long as this exists.
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

  const Engine& engine_;
  std::optional<Team> team_;
  std::set<TaskId> tasks_;
  std::optional<Signals> signals_;
  std::mutex mutex_;
  bool is_hidden_ = false;
  std::string drawn_;
  EventFd end_;
  std::optional<std::thread> thread_;  // none without a terminal
};

// Calls `say` while the line is hidden; returns its result.
template <class Say>
auto say_beside(Progress& progress, Say say) {
  const Progress::Pause pause(progress);
  return say();
}

}  // namespace team
