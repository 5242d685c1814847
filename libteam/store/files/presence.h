// How members are: `<name>.alive` and `<name>.json`.
//
// One process per (team, name): it holds the lock on NAME.alive for its whole life and replaces NAME.json whenever its
// state changes. Becoming idle and ceasing to be are steps under the team's lock, so that "everybody is idle" is true
// at the moment when it is said, and is said once: `.all_idle` marks an idle period and goes with the first who works.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "libteam/record/member_state.h"
#include "libteam/record/team.h"
#include "libteam/store/board.h"
#include "libteam/store/files/file_lives.h"
#include "libteam/store/mail.h"
#include "libteam/system/file.h"
#include "libteam/system/lock.h"

namespace team {

class Presence {
 public:
  // Throws conflict if the member lives already.
  Presence(const Roster& roster, const Team& team, const std::string& member, double lock_timeout);

  const Folder& folder() const { return folder_; }
  // Lives on in the folder that the team has now: the old one was removed. Throws conflict if somebody else of that
  // name lives there.
  void move_to(Folder folder);
  const MemberState& now() const { return now_; }
  // How it was when its last life ended; none if this is the first.
  const std::optional<MemberState>& before() const { return before_; }
  // The first state, with all that does not change.
  void begin(MemberState first, const Mail& mail, const Actor& actor);
  // Writes the state and, if it is another, records the change.
  void become(State state, const std::string& reason, std::optional<TaskId> task, const Mail& mail, const Actor& actor);
  // Says how to start it again from now on.
  void set_start(Start start);
  // What it has used of a model, in all its lives; a system that refuses to write it down is asked again next time.
  void set_usage(std::string usage);
  // Whether team-resume is to start it again.
  void set_resumable(bool resumable) { now_.resumable = resumable; }

  // While this one idles: tells the lead if with it everybody does, nothing is to be done and it was not told yet.
  void tell_if_all_idle(const Roster& roster, const Team& team, Board& board, const Mail& mail) const;

 private:
  void write() const;

  Folder folder_;
  std::string member_;
  double lock_timeout_;
  LifeLock life_;
  std::optional<MemberState> before_;
  MemberState now_;
};

// For who ended another: what stands in its file from now on. Gives what is to be recorded of it.
std::optional<Event> note_end(const Folder& team_folder, const std::string& member, const std::string& reason);

// Whether this one runs and waits for something to do.
bool idles(const Roster& roster, const Team& team, const std::string& member);
// Whether all teammates that run wait for something to do, and one does at all.
bool everybody_idles(const Roster& roster, const Team& team);
// The same, and nothing is left that one of the members could do. If so, `then` is done before the board can change.
bool is_all_idle(const Roster& roster, const Team& team, Board& board, const std::function<void()>& then = {});

}  // namespace team
