// The rules of gates and landings: when a completion is only an offer, and how an offered task lands on its line.
//
// A task has gates if it has a check, or if its owner works on it in a tree of a repository. Its completion then needs
// a receipt: all gates have passed. A landing moves a branch and completes the task, which cannot be one step. So the
// task first keeps the receipt as `landing`, durably. Then the branch moves. Then the task completes. Whoever finds a
// `landing` of a killed process looks at the branch and either completes the task or removes `landing`.
//
// Pure functions on values, as in task_rules.h.
#pragma once

#include <optional>
#include <string>

#include "libteam/record/task_rules.h"

namespace team {

// The command that must succeed before the task completes; empty if there is none. `team_check` is the setting.
std::string check_of(const Task& task, const std::string& team_check);
bool is_gated(const Task& task, const std::string& team_check);

// True if this completion must pass gates first: it has no receipt, or that of a check outside of the tree.
bool needs_gates(const Task& task, const TaskChange& wanted, const std::string& team_check);
// What becomes of it: the run that works on the task offers its result and goes on; its driver runs the gates. Throws
// what finish_work() throws, and invalid_state for an actor without a driver.
void offer_work(Task& task, const TaskChange& wanted, const Actor& actor, const std::string& team_check, double now);

// The attempt of the actor begins with this commit; none if it works in no tree. Throws as finish_work() does.
void begin_with(Task& task, const std::optional<std::string>& base, const Actor& actor);
// Throws conflict if the task has a landing already.
void announce_landing(Task& task, Offer offer, Receipt landing, const Actor& actor);
// The owner, in whose name a landing ends.
Actor owner_of(const Task& task);
// For a task that has a landing. Completes it if `landed`; otherwise removes the landing, and its owner works on.
void end_landing(Task& task, bool landed, double now);

}  // namespace team
