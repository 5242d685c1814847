// The events of a log, one by one, become a History; nobody needs to hold a whole log.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "libteam/record/event.h"
#include "libteam/record/history.h"

namespace team {

// A member as it is now.
struct MemberNow {
  std::string name;
  std::optional<bool> lives;  // none: never run by us, perhaps a person
};

class Chronicle {
 public:
  void add(const Envelope& envelope);
  // `now` is for what goes on.
  History close(const TaskGraph& board, const std::vector<MemberNow>& members, double now) &&;

 private:
  struct Holding {  // a task that somebody holds at this point of the log
    std::string owner;
    std::size_t work = 0;  // its place in the owner's works
  };
  struct Life {
    std::vector<Stay> stays;
    std::vector<Stint> works;
    double last_sign = 0;     // the last thing it did
    bool is_staying = false;  // the last of its stays has not ended
  };
  enum class Until { now, last_sign };  // how long somebody worked on what it no longer has
  struct Span {
    double from = 0;
    std::optional<double> to;
  };
  struct Course {  // of a task
    std::vector<Span> pending;
    double created = 0;
    std::optional<double> ended, completed;
  };

  void add_state(const Envelope& envelope);
  void add_task(const Envelope& envelope);
  void add_message(const Envelope& envelope);
  void take(TaskId id, const std::string& owner, const std::string& subject);
  void give_up(TaskId id, Stint::End end, const std::string& owner, const std::string& subject,
               const std::string& reason, Until until = Until::now);
  Course& course_of(TaskId id);
  void add_from_board(const TaskGraph& board, const std::vector<MemberNow>& members);
  void end_lives(const std::vector<MemberNow>& members, History& history);
  Waits waits_of(const TaskGraph& board, History& history) const;

  double start_ = 0, now_ = 0;
  bool has_begun_ = false, starts_in_the_middle_ = false;
  std::map<std::string, Life> lives_;
  std::map<TaskId, Holding> held_;
  std::map<TaskId, Course> courses_;
  std::vector<Sent> messages_;
};

}  // namespace team
