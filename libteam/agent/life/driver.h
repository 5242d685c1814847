// What does the work of a teammate: a program of the user's, or a model. The teammate decides what is to be done and
// what becomes of it; a driver does one piece of work and says how it went.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/record/event.h"
#include "libteam/record/member_state.h"
#include "libteam/record/message.h"
#include "libteam/record/task.h"
#include "libteam/record/usage.h"

namespace team {

enum class Phase { plan, work };

// What comes to a teammate while it works.
struct Meanwhile {
  // Whether something waits for which a call is to be broken off: asked from another thread when `file` has changed.
  std::function<bool()> is_urgent;
  std::string file;
  // Takes the mail: what the driver is to hear goes to `keep`, and counts as processed when that returns. False if the
  // teammate is to end: then so does the work.
  using Keep = std::function<void(const std::vector<Message>& messages)>;
  std::function<bool(const Keep& keep)> hear;
};

struct Work {
  Phase phase = Phase::work;
  std::string title;         // for people: "task 3"
  std::string introduction;  // who is addressed
  std::string prompt;
  std::optional<Task> task;
  std::string task_file;          // where that task lies
  std::vector<Message> messages;  // if it is about them
  bool is_left = false;           // an earlier life may have begun it
  bool wants_plan = false;        // what comes of it is put to the lead as a plan
  bool is_gated = false;          // each task of this member needs an approved plan, in whatever phase this is
  // In the phase work of a gated member: whether the approval still holds. It is void when the task changes hands.
  std::function<bool()> is_approved;
  Meanwhile meanwhile;
  // Told when the driver has made the work its own, so that it would go on with it in its next life.
  std::function<void()> kept;
};

struct Outcome {
  enum class Kind {
    done,
    failed,       // may go better another time
    hopeless,     // no piece of work can be done: there is no such program
    unavailable,  // not now: the model cannot be had, or a limit is reached
    interrupted,  // by a signal to us
    stopped,      // because Meanwhile::hear said so
  };
  Kind kind = Kind::done;
  std::string result = {};          // what it has to say
  std::string reason = {};          // why it is not done
  int status = 0;                   // of the program, or 128 + the signal
  std::vector<Message> heard = {};  // that came while it worked; who sent them is enough
  // Who of those who wrote is to get the result; none: all of them.
  std::optional<std::set<std::string>> answers = {};
  std::optional<std::string> paused = {};  // it could not go on talking to somebody, and why
};

// Who watches a teammate at work.
struct Audience {
  std::function<void(std::string_view line)> note;               // what the teammate does
  std::function<void(std::string_view text)> out, err;           // what its work says, as it comes
  std::function<void(const std::vector<Event>& events)> record;  // for the event log
  std::function<void(const Usage& all)> spend;                   // what it has used in all its lives
  std::function<void(State state)> become;                       // how it is from now on; may be empty
};

class Driver {
 public:
  virtual ~Driver() = default;
  // From now on nobody else has the teammate's name.
  virtual void begin_life() {}
  virtual Outcome work(const Work& work, const Audience& audience) = 0;

  // Whether it keeps a conversation: it hears mail while it works, and answers to what it has asked itself.
  virtual bool converses() const { return false; }
  // What an earlier life began, and whose outcome was not settled; of its messages only who sent them.
  virtual std::optional<Work> left() const { return std::nullopt; }
  // What came of the last piece of work is on the board, sent or given up.
  virtual void settle() {}

  // Something that an earlier piece of work began has ended and is to be told; a descriptor that can be read from then,
  // or -1.
  virtual bool has_news() { return false; }
  virtual int news() const { return -1; }
};

}  // namespace team
