// The rules of a member's states, on top of the lives that a store keeps (store/life.h).
//
// Only one member of a team at a time becomes idle or begins to work. So "everybody is idle" is true when the lead is
// told of it. The lead is told once in each idle period. The period ends when a member works again.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "libteam/record/member_state.h"
#include "libteam/record/team.h"
#include "libteam/store/board.h"
#include "libteam/store/life.h"
#include "libteam/store/mail.h"

namespace team {

class Engine;

// The life of this process as a member.
class Presence {
 public:
  // Throws conflict if the member is running.
  Presence(const Engine& engine, const Team& team, const std::string& member);

  // The lives of the team of this member.
  const LifeEngine& lives() const { return *lives_; }
  // False if the team was removed or made again.
  bool is_in_place() const { return life_->is_in_place(); }
  // Moves to the team that replaced the removed one. Throws conflict if a member of that name runs there.
  void move_to(const Engine& engine, const std::string& team);

  const MemberState& now() const { return now_; }
  // The last state of the previous life; none if this is the first one.
  const std::optional<MemberState>& before() const { return life_->before(); }
  // Writes the first state, with the values that never change.
  void begin(MemberState first, const Mail& mail, const Actor& actor);
  // Writes the state and, if it is another one, records the change.
  void become(State state, const std::string& reason, std::optional<TaskId> task, const Mail& mail, const Actor& actor);
  // Stores how to restart it.
  void set_start(Start start);
  // The session of its agent, for its next life. Throws if it cannot be written.
  void set_session(const std::optional<AgentSession>& session);
  // Stores the usage of all its runs. If the write fails, the next change of the state writes it.
  void set_usage(std::string usage);
  // Adds seconds of work. The next change of the state writes them.
  void add_work(double seconds) { now_.worked += seconds; }
  // The next state `paused` ends at this time. Any other state forgets it.
  void set_until(std::optional<double> until) { until_ = until; }
  // True if team-resume is to start it again.
  void set_resumable(bool resumable) { now_.resumable = resumable; }

  // While this member is idle: tells the lead if everybody is, nothing is left to do and the lead was not told yet.
  void tell_if_all_idle(const Team& team, Board& board, const Mail& mail) const;

 private:
  std::string member_;
  double lock_timeout_;
  std::shared_ptr<const LifeEngine> lives_;
  std::unique_ptr<HeldLife> life_;
  MemberState now_;
  std::optional<double> until_;
};

// True if the member runs and waits for work.
bool is_member_idle(const LifeEngine& lives, const std::string& member);
// True if a teammate runs and all teammates that run wait for work.
bool is_everybody_idle(const LifeEngine& lives, const Team& team);
// The same, and nothing is left that a member could do. If so, `then` is called before the board can change.
bool is_all_idle(const LifeEngine& lives, const Team& team, Board& board, const std::function<void()>& then = {});

// True if the member ran and does not run any more. A member that did not write a state yet is about to start.
bool has_died(const LifeEngine& lives, const std::string& member);
// The same for a member of the team of a board; false for everybody else.
bool has_died(const Board& board, const std::string& member);

}  // namespace team
