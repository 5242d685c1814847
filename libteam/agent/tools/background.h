// Background programs that a model has started.
//
// Each writes its output to a file. It runs until it ends, is stopped, or this object is destroyed, which ends it with
// all its child processes. The end of each program is reported once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/base/clock.h"
#include "libteam/system/program.h"

namespace team {

class Background {
 public:
  // The output goes to files in this folder. A file name is `prefix`, the id and `.txt`.
  Background(const std::string& folder, std::string prefix);
  ~Background();

  struct Job {
    std::string id;
    std::string what;           // the command, shortened, for people and models
    std::string file;           // the output file
    std::optional<int> status;  // set when it has ended
    bool stopped = false;       // it was stopped on request
  };
  // Returns the job; its id is `kind`-1, `kind`-2, … Throws io.
  Job start(Program program, const std::string& kind, const std::string& what);
  // The same, with an id of the caller.
  Job start_as(Program program, const std::string& id, const std::string& what);

  // Throws not_found, which lists the ids.
  Job get(const std::string& id);
  // The end of its output: at most so many bytes, whole characters.
  std::string output(const std::string& id, std::size_t most_bytes) const;
  // Blocks until it has ended, until the deadline, or until `interrupt` (a descriptor, or -1) is readable. True if it
  // has ended.
  bool wait(const std::string& id, const Deadline& deadline, int interrupt);
  // Ends it with all its child processes (TERM, 2 s, KILL) and waits for that. False if it had already ended.
  bool stop(const std::string& id);
  // Stops all running programs at once.
  void stop_all();

  // The ended programs that were not reported yet. They count as reported now.
  std::vector<Job> take_ended();
  // Marks the end as reported, for a caller that has just seen it.
  void forget_end(const std::string& id);
  // True if a program runs, or has ended and was not reported.
  bool has_news_to_come() const;
  // Readable while an ended program is not reported; for callers that wait for several things.
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
