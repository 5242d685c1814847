// The life of a teammate: it wakes, takes messages and tasks, has a driver do the work, reports, idles, shuts down.
//
//   spawn → active ⇄ idle → shutdown          (and plan_pending, paused, error)
//
// Messages come before the board. A message is acknowledged when its work is done and answered, a task completed when
// its work is done; a teammate that dies in between does it again. The records of the requests control it (shutdown,
// approval), never the text of a message.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "libteam/agent/life/driver.h"
#include "libteam/agent/life/held_tasks.h"
#include "libteam/agent/life/mail_handler.h"
#include "libteam/agent/life/member_life.h"
#include "libteam/agent/life/task_runner.h"
#include "libteam/agent/life/teammate_options.h"
#include "libteam/agent/life/work_runner.h"
#include "libteam/store/team_session.h"
#include "libteam/system/process.h"

namespace team {

class Teammate {
 public:
  // `session`, `driver`, `signals` and `audience` outlive this. Nothing happens yet.
  Teammate(TeamSession& session, TeammateOptions options, Driver& driver, const Signals& signals, Audience audience);

  // True once it has the name, and so its life.
  bool has_begun() const { return has_begun_; }
  // The last answer of its driver.
  const std::string& last_word() const { return work_.last_word(); }
  // Why its last piece of work failed; none if it did not.
  const std::optional<std::string>& last_failure() const { return work_.last_failure(); }
  // Why it ended, after run().
  const std::string& reason() const { return life_.ending().reason; }

  // Lives; gives the exit status. Throws conflict if one of that name lives already, what the claim of its first task
  // threw, not_found when the team is gone.
  int run();

 private:
  void live();
  void step();
  void resume();
  void idle();
  bool follows_decision();
  void announce_idle();

  MemberLife life_;
  MailHandler mail_;
  HeldTasks held_;
  WorkRunner work_;
  TaskRunner tasks_;
  bool has_begun_ = false;
};

}  // namespace team
