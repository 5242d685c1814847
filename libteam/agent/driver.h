// What does the work of a teammate: a program of the user's, or a model. The teammate decides what is to be done and
// what becomes of it; a driver does one piece of work and says how it went.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "libteam/record/event.h"
#include "libteam/record/task.h"

namespace team {

enum class Phase { plan, work };

struct Work {
  Phase phase = Phase::work;
  std::string title;  // for people: "task 3"
  std::string prompt;
  std::optional<Task> task;
  std::string task_file;  // where that task lies
};

struct Outcome {
  enum class Kind {
    done,
    failed,       // may go better another time
    hopeless,     // no piece of work can be done: there is no such program
    interrupted,  // by a signal to us
  };
  Kind kind = Kind::done;
  std::string result;  // what it has to say
  std::string reason;  // why it is not done
  int status = 0;      // of the program, or 128 + the signal
};

// Who watches a teammate at work.
struct Audience {
  std::function<void(std::string_view line)> note;               // what the teammate does
  std::function<void(std::string_view text)> out, err;           // what its work says, as it comes
  std::function<void(const std::vector<Event>& events)> record;  // for the event log
};

class Driver {
 public:
  virtual ~Driver() = default;
  virtual Outcome work(const Work& work, const Audience& audience) = 0;
};

}  // namespace team
