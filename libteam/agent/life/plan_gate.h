// The approval of plans: a teammate with --plan starts a task only after the lead has approved its plan for it.
//
// The record of the request decides, never the text of a message. An approval is void when the task changes hands.
#pragma once

#include <optional>
#include <string>

#include "libteam/agent/life/held_tasks.h"
#include "libteam/agent/life/member_life.h"
#include "libteam/agent/life/work_runner.h"

namespace team {

class PlanGate {
 public:
  // All outlive this.
  PlanGate(MemberLife& life, HeldTasks& held, WorkRunner& work) : life_(life), held_(held), work_(work) {}

  struct Result {
    bool approved = false;
    std::optional<Outcome> outcome = {};  // of the job, for the caller to record; none: nothing is left to do
  };
  // Lets the driver make plans until the lead approves one. Stores the answer in `job`.
  Result agree(Job& job);

 private:
  std::optional<Outcome> submit(const std::string& plan, const std::string& request, const Job& job);
  std::optional<PlanAnswer> await_answer(const std::string& request, const Job& job);
  std::optional<PlanAnswer> answer_to(const Request& request, const Job& job) const;
  bool has_other_work();
  void stop_waiting(const Request& request, const Job& job);

  MemberLife& life_;
  HeldTasks& held_;
  WorkRunner& work_;
};

}  // namespace team
