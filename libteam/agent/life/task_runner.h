// One attempt at a task that a teammate holds, or at its prompt: plan, work, then completion or another attempt.
#pragma once

#include "libteam/agent/life/held_tasks.h"
#include "libteam/agent/life/member_life.h"
#include "libteam/agent/life/plan_gate.h"
#include "libteam/agent/life/task_finish.h"
#include "libteam/agent/life/work_runner.h"

namespace team {

class TaskRunner {
 public:
  // All outlive this.
  TaskRunner(MemberLife& life, HeldTasks& held, WorkRunner& work)
      : life_(life), held_(held), work_(work), finish_(life, held), gate_(life, held, work) {}

  // Returns when the outcome is on the board: the task is completed, failed, given back, or owned by somebody else.
  void run(Job job);
  // The work that a usage limit or a budget broke off, to be done after the pause. A task of it was given back.
  std::optional<Job> take_broken_off() { return std::exchange(broken_off_, std::nullopt); }

 private:
  void settle(const Job& job, Outcome outcome);
  void back_off(const Job& job);
  bool is_gated(const Job& job) const;
  bool is_broken_off(const Job& job, const Outcome& outcome);
  std::optional<std::string> complete(const Job& job, const std::string& result);
  void report_prompt(const Outcome& outcome);

  MemberLife& life_;
  HeldTasks& held_;
  WorkRunner& work_;
  TaskFinish finish_;
  PlanGate gate_;
  std::optional<Job> broken_off_;
};

}  // namespace team
