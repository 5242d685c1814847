// The life of a teammate: it wakes, takes messages and tasks, lets a driver do the work, reports, idles, shuts down.
//
//   spawn → active ⇄ idle → shutdown          (and plan_pending, paused, error)
//
// Messages come before tasks. A message is acknowledged when its work is done and answered; a task is completed when
// its work is done. A teammate that dies in between repeats the work. Only request records control a teammate
// (shutdown, approval), never the text of a message.
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
#include "libteam/system/signals.h"

namespace team {

class Teammate {
 public:
  // `session`, `driver`, `signals` and `audience` outlive this. The constructor changes nothing.
  Teammate(TeamSession& session, TeammateOptions options, Driver& driver, const Signals& signals, Audience audience);

  // True once it has its name and its alive lock.
  bool has_begun() const { return has_begun_; }
  // The last answer of its driver.
  const std::string& last_word() const { return work_.last_word(); }
  // Why its last piece of work failed; none if it succeeded.
  const std::optional<std::string>& last_failure() const { return work_.last_failure(); }
  // Why it ended, after run().
  const std::string& reason() const { return life_.ending().reason; }

  // Runs the whole life; returns the exit status. Throws conflict if a teammate of that name is running, the error of a
  // failed first claim, and not_found when the team is gone.
  int run();

 private:
  void live();
  void step();
  void resume();
  void idle();
  bool waits_for_limit();
  void go_on_after_pause();
  bool follows_decision();
  void announce_idle();

  MemberLife life_;
  MailHandler mail_;
  HeldTasks held_;
  WorkLimits limits_;
  WorkRunner work_;
  TaskRunner tasks_;
  bool has_begun_ = false;
  bool is_pausing_ = false;  // for a limit
};

}  // namespace team
