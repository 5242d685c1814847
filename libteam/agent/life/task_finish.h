// The bounds of an attempt at a task: how it begins in the tree of the member, and the gates at its end.
//
// Without a tree and without a check, an attempt begins with nothing and ends with the completion.
#pragma once

#include <optional>
#include <string>

#include "libteam/agent/life/held_tasks.h"
#include "libteam/agent/life/member_life.h"
#include "libteam/repo/member_tree.h"

namespace team {

class TaskFinish {
 public:
  // Both outlive this.
  TaskFinish(MemberLife& life, HeldTasks& held) : life_(life), held_(held) {}

  // Puts the files of the attempt into the tree. False if somebody took the task away meanwhile.
  bool begin(Job& job);
  // Keeps the work in the tree, also that of a failed attempt: the next one goes on with it.
  void keep(const Job& job);
  // A program that offered its result is done, however it ended after that.
  void take_offer(const Job& job, Outcome& outcome) const;
  // Runs the gates and completes the task. Gives the reason if they refuse it.
  std::optional<std::string> complete(const Job& job, const std::string& result);
  // True if the last complete() was stopped by a signal, or by a request while the line was checked out: the attempt
  // does not count.
  bool was_interrupted() const { return was_interrupted_; }

 private:
  Finished finish(const Job& job, const std::string& result);
  bool wait_for_line(const Job& job, const std::string& reason);

  MemberLife& life_;
  HeldTasks& held_;
  std::optional<Snapshot> kept_;
  bool was_interrupted_ = false;
};

}  // namespace team
