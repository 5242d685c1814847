// The interface of a driver, which does the work of a teammate: a program of the user, or a model.
//
// The teammate chooses the work and handles its outcome. A driver does one piece of work and reports the outcome.
#pragma once

#include <functional>
#include <memory>
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
#include "libteam/store/watcher.h"

namespace team {

enum class Phase { plan, work };

// Mail that arrives during the work.
struct Meanwhile {
  // Makes a watcher of the mail to this member, for a thread that waits for it.
  std::function<std::unique_ptr<Watcher>()> watch_mail;
  // True if a message must cancel a running call of the model. May be called from another thread.
  std::function<bool()> is_urgent;
  // Takes the mail and passes the messages for the driver to `keep`. They count as processed when `keep` returns.
  // Returns false if the teammate must end; then the driver stops its work.
  using Keep = std::function<void(const std::vector<Message>& messages)>;
  std::function<bool(const Keep& keep)> hear;
};

// Permissions that an agent asks for: requests to the lead or the user. Called from the thread of the work only.
struct PermissionDesk {
  struct Answer {
    bool approved = false;
    std::string feedback = {};
  };
  // Opens a request; returns its id.
  std::function<std::string(const std::string& content)> ask;
  // Takes the messages with answers. The records count.
  std::function<void()> collect;
  // None while nobody has answered. A request that was removed is rejected.
  std::function<std::optional<Answer>(const std::string& id)> answer;
  // Removes a request that nobody waits for any more.
  std::function<void(const std::string& id)> withdraw;
};

struct Work {
  Phase phase = Phase::work;
  std::string title;         // for people: "task 3"
  std::string introduction;  // says to whom the prompt is addressed
  std::string prompt;
  std::optional<Task> task;
  std::string task_file;          // the file of the task
  std::vector<Message> messages;  // the messages, if the work is about messages
  bool is_left = false;           // an earlier run may have begun it
  bool wants_plan = false;        // the result is submitted to the lead as a plan
  bool is_gated = false;          // each task of this member needs an approved plan, in every phase
  // For a gated member in the phase `work`: true while the approval holds. It is void when the task changes hands.
  std::function<bool()> is_approved;
  Meanwhile meanwhile;
  PermissionDesk permissions;
  // The reason if a budget is used up: then the driver ends the work before its next step, as over_budget.
  std::function<std::optional<std::string>()> over_budget;
  // Called when the driver has stored the work, so that a restarted driver would resume it.
  std::function<void()> kept;
};

struct Outcome {
  enum class Kind {
    done,
    failed,       // a retry may help
    hopeless,     // no work can succeed: there is no such program
    unavailable,  // not now: the model is unavailable, or a limit is reached
    interrupted,  // a signal to this process
    stopped,      // Meanwhile::hear returned false
    limited,      // not now: a usage limit; the attempt does not count
    over_budget,  // not before a budget is raised; the attempt does not count
    looping,      // a model that made no progress was stopped
  };
  Kind kind = Kind::done;
  std::string result = {};           // the text for the sender or the task
  std::string reason = {};           // why it is not done
  int status = 0;                    // of the program, or 128 + the signal
  std::vector<Message> heard = {};   // messages that came during the work; only their senders matter
  std::optional<double> until = {};  // of a usage limit: its end in Unix seconds, if the driver knows it
  // The usage of the work and its model, if known. For drivers that do not call Audience::spend.
  Usage used = {};
  std::optional<std::string> used_model = {};
  // The senders that get the result; none: all of them.
  std::optional<std::set<std::string>> answers = {};
  bool reports = true;                     // false: the driver told the lead by itself what came of its prompt
  std::optional<std::string> paused = {};  // the reason, if a conversation reached the exchange limit
};

// The observers of a teammate at work.
struct Audience {
  std::function<void(std::string_view line)> note;               // log lines of the teammate
  std::function<void(std::string_view text)> out, err;           // output of the work, as it arrives
  std::function<void(const std::vector<Event>& events)> record;  // for the event log
  std::function<void(const Usage& all)> spend;                   // tokens used in all runs
  std::function<void(const Usage& more)> charge;                 // adds to that at once, beside Outcome::used
  std::function<void(State state)> become;                       // changes the shown state; may be empty
  // Stores the session of an agent, for the next life of the teammate.
  std::function<void(const std::optional<AgentSession>& session)> keep_session;
};

class Driver {
 public:
  virtual ~Driver() = default;
  // Called once this process has the teammate's name; no other process has it.
  virtual void begin_life() {}
  virtual Outcome work(const Work& work, const Audience& audience) = 0;

  // True if the driver keeps a conversation: it gets mail during the work, and the answers to its own questions.
  virtual bool converses() const { return false; }
  // True if the driver itself retries: then failed work on messages is not tried again.
  virtual bool retries() const { return false; }
  // Work that an earlier run began and did not finish. Of its messages only the senders are known.
  virtual std::optional<Work> left() const { return std::nullopt; }
  // Called when the outcome of the last work is on the board, sent or dropped.
  virtual void settle() {}

  // True if a background program has ended and the driver must report it; and a descriptor (or -1) that is readable
  // then.
  virtual bool has_news() { return false; }
  virtual int news() const { return -1; }
};

}  // namespace team
