// Programs that a model has started and not waited for.
//
// Each writes what it says to a file and runs until it ends, is stopped, or this goes: then it is ended with all that
// it started. That one has ended is told once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/system/process.h"

namespace team {

class Background {
 public:
  // Their output goes to files in `folder`, named after their ids with `prefix` in front and `.txt` behind.
  Background(Folder folder, std::string prefix);
  ~Background();

  struct Job {
    std::string id;
    std::string what;           // for people and models: the command, cut
    std::string file;           // what it says
    std::optional<int> status;  // of one that has ended
    bool stopped = false;       // because somebody wanted it
  };
  // Gives the id: `kind`-1, `kind`-2, … Throws io.
  Job start(Program program, const std::string& kind, const std::string& what);
  // The same under an id of the caller's.
  Job start_as(Program program, const std::string& id, const std::string& what);

  // Throws not_found, with the ids there are.
  Job get(const std::string& id);
  // The end of what it said, at most so many bytes, whole characters.
  std::string output(const std::string& id, std::size_t most_bytes) const;
  // Blocks until it has ended, the deadline or `interrupt` (a descriptor, or -1). True if it has.
  bool wait(const std::string& id, const Deadline& deadline, int interrupt);
  // Ends it with all that it started (TERM, 2 s, KILL) and waits for that. False if it had ended before.
  bool stop(const std::string& id);
  // The same for all that run, at once.
  void stop_all();

  // Those whose end was not told yet. After this it was.
  std::vector<Job> take_ended();
  // As if told: for one whose end somebody has just seen.
  void forget_end(const std::string& id);
  // Whether any runs or has an end that is to be told.
  bool has_news_to_come() const;
  // Can be read from when one has ended that is to be told of; for who waits for several things.
  int fd() const;

 private:
  struct Running;
  Running& find(const std::string& id) const;
  void look();

  Folder folder_;
  std::string prefix_;
  Fd epoll_;
  std::vector<std::unique_ptr<Running>> all_;
};

}  // namespace team
