// Builds a History from the events of a log, one at a time, so that the whole log is never in memory.
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
  std::optional<bool> lives;  // none: teamkit never ran it; perhaps a person
};

class HistoryBuilder {
 public:
  void add(const Envelope& envelope);
  // Ends the log at `now`: work that has not ended lasts until then.
  History close(const TaskGraph& board, const std::vector<MemberNow>& members, double now) &&;

 private:
  struct Holding {  // a task in progress at this point of the log
    std::string owner;
    std::size_t work = 0;  // its place in the owner's works
  };
  struct Life {
    std::vector<StateInterval> states;
    std::vector<WorkInterval> works;
    double last_sign = 0;         // time of its last event
    bool has_open_state = false;  // the last of its states has no end yet
  };
  enum class Until { now, last_sign };  // when the work on a lost task ended
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
  void give_up(TaskId id, WorkInterval::End end, const std::string& owner, const std::string& subject,
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
