// The gates of a finished task, and its landing.
//
// In this order, each only if it is asked for: the deliverable, the merge, the check, the landing. The first that
// refuses ends it, and the task stays as it is. A killed process leaves a task that is landed and completed, or neither
// (record/landing_rules.h).
#pragma once

#include <optional>
#include <string>

#include "libteam/repo/line.h"
#include "libteam/repo/snapshot.h"
#include "libteam/store/team_session.h"

namespace team {

struct Finished {
  enum class Kind {
    completed,
    refused,      // by a gate: another attempt may pass
    held,         // the line cannot move now
    interrupted,  // the check was stopped
  };
  Kind kind = Kind::completed;
  std::string reason;
  TaskUpdate update;  // of a completed task
};

// A piece of work that its owner says is done.
struct FinishedWork {
  Task task;
  std::optional<std::string> result;
  int interrupt = -1;  // a descriptor that is readable if the check must stop
};

// The place of the trees of a team: <git.treesDir>/<team>, without a setting beside the checkout. Absolute.
std::string trees_of(const Engine& engine, const Team& team, const Repository& repository);

// Work in the root itself: no merge and no landing. Throws the errors of the board.
Finished finish_in_root(const TeamSession& session, const FinishedWork& work);

// Work in a tree, of which there is a snapshot.
Finished finish_in_tree(const TeamSession& session, const Repository& repository, const Snapshot& snapshot,
                        const FinishedWork& work);

// The author of the commits of a member.
Author author_of(const std::string& member, const std::string& team);
// The message of the commits of a task: its subject, and what it belongs to.
std::string commit_message(const Task& task, const Actor& member);

}  // namespace team
