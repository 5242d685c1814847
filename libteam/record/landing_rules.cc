#include "libteam/record/landing_rules.h"

#include <utility>

#include "libteam/base/error.h"
#include "libteam/base/terminal_text.h"

namespace team {

namespace {

// Refuses everybody but the run that works on the task.
void check_worker(const Task& task, const Actor& actor) {
  if (!is_worked_on_by(task, actor)) {
    fail(Code::conflict, "task {} is {}, and {} does not work on it", task.id, name_of(task.status), actor.name);
  }
  check_run(task, actor);
}

}  // namespace

std::string check_of(const Task& task, const std::string& team_check) { return task.check.value_or(team_check); }

bool is_gated(const Task& task, const std::string& team_check) {
  return task.base || !check_of(task, team_check).empty();
}

bool needs_gates(const Task& task, const TaskChange& wanted, const std::string& team_check) {
  if (wanted.status != Status::completed || !is_gated(task, team_check)) return false;
  const bool has_passed = wanted.receipt && (!task.base || wanted.receipt->base);
  return !has_passed;
}

void offer_work(Task& task, const TaskChange& wanted, const Actor& actor, const std::string& team_check, double now) {
  Task trial = task;
  finish_work(trial, wanted, actor, now);  // the same refusals
  const bool has_driver = task.owner == actor.name && task.run && task.run == actor.run;
  if (has_driver) {
    task.offer = Offer{std::nullopt, wanted.result, now};
    return;
  }
  if (task.base) {
    fail(Code::invalid_state, "task {} is worked on in the tree of {}: it completes when that work lands", task.id,
         *task.owner);
  }
  fail(Code::invalid_state, "task {} has the check '{}'; task-complete --wait {} runs it", task.id,
       one_line(check_of(task, team_check)), task.id);
}

void begin_with(Task& task, const std::optional<std::string>& base, const Actor& actor) {
  check_worker(task, actor);
  task.base = base;
  task.offer.reset();
}

void announce_landing(Task& task, Offer offer, Receipt landing, const Actor& actor) {
  check_worker(task, actor);
  if (task.landing) fail(Code::conflict, "task {} is landing already", task.id);
  task.offer = std::move(offer);
  task.landing = std::move(landing);
}

Actor owner_of(const Task& task) {
  return {.name = task.owner.value_or("system"), .role = std::nullopt, .run = task.run, .leads = false};
}

void end_landing(Task& task, bool landed, double now) {
  const auto landing = std::exchange(task.landing, std::nullopt);
  if (!landed || task.status != Status::in_progress) return;
  TaskChange wanted;
  wanted.status = Status::completed;
  wanted.receipt = landing;
  if (task.offer) wanted.result = task.offer->result;
  finish_work(task, wanted, owner_of(task), now);
}

}  // namespace team
