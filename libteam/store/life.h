// The lives of the members of one team. They tell which members run and in which state, and hold the things that
// running members share.
//
// One process at a time holds the life of a member. The life ends with that process, however the process ends. So
// neither a clock nor a reused pid can make a dead member look alive. The rules of states are in store/presence.h.
//
// Several threads may use a LifeEngine.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "libteam/record/event.h"
#include "libteam/record/life.h"
#include "libteam/record/member_state.h"
#include "libteam/store/call_slots.h"

namespace team {

class LifeEngine;
class LocalFiles;
class Watcher;

// A life that this process holds until the object goes.
class HeldLife {
 public:
  virtual ~HeldLife() = default;

  // The state in which the previous life ended; none if this is the first one, or if that state is broken.
  virtual const std::optional<MemberState>& before() const = 0;
  // Replaces the state that others see.
  virtual void write(const MemberState& state) = 0;
  // False if the team was removed or made again. Then others do not see this life.
  virtual bool is_in_place() const = 0;
  // Moves to the team that replaced the removed one. Throws conflict if a member of that name runs there.
  virtual void move_to(const LifeEngine& team) = 0;
};

// A duty that one of many idle members has. The other members queue for it. If the process of the member ends or
// leaves, the duty passes to the next in the queue.
class Duty {
 public:
  virtual ~Duty() = default;
  // True if this process has it, or gets it now. Does not block.
  virtual bool take() = 0;
  // The same, or enters the queue.
  virtual bool take_or_queue() = 0;
  // For a member in the queue: wakes the watcher when the duty has come.
  virtual void wake(Watcher& watcher) const = 0;
  // Gives it up, or leaves the queue.
  virtual void leave() = 0;
};

class LifeEngine {
 public:
  virtual ~LifeEngine() = default;

  virtual Life life_of(const std::string& member) const = 0;
  // None if the member never ran. Throws corrupt for a broken state, permission_denied for one that others can write.
  virtual std::optional<MemberState> state_of(const std::string& member) const = 0;
  // True if the member ever wrote a state. A member that starts holds its life a moment before that.
  virtual bool has_begun(const std::string& member) const = 0;
  // The process of a running member; none if it cannot be seen from here, as in another container.
  virtual std::optional<int> process_of(const std::string& member) const = 0;
  virtual bool is_process_of(int pid, const std::string& member) const = 0;
  // True if the process of a running member is being killed: its life ends soon. A hint; false where it cannot be seen.
  virtual bool is_ending(const std::string& member) const = 0;

  // Takes the life of a member. Throws conflict if it is running.
  virtual std::unique_ptr<HeldLife> take(const std::string& member) const = 0;
  // Writes the last state of a member whose process the caller has ended. Returns the event for the caller to record;
  // none if the member never wrote a state.
  std::optional<Event> note_end(const std::string& member, const std::string& reason) const;
  // Removes everything of a member that does not run.
  virtual void forget(const std::string& member) const = 0;

  // Runs `step` while no other process of the team runs such a step. Throws again if that takes more than `seconds`.
  virtual void exclusively(double seconds, const std::function<void()>& step) const = 0;
  // A mark that all members share: the lead was told that everybody is idle. It is set and removed in such steps.
  virtual bool is_idle_period() const = 0;
  virtual void begin_idle_period() const = 0;
  virtual void end_idle_period() const = 0;

  // For each role, and for members without one: the lookout wakes idle members, the deputy acts if the lookout hangs.
  enum class Post { lookout, deputy };
  virtual std::unique_ptr<Duty> duty(Post post, const std::optional<std::string>& role) const = 0;
  virtual std::unique_ptr<CallSlots> call_slots() const = 0;

  // The files of the team on this machine; good as long as this is.
  virtual const LocalFiles& local_files() const = 0;

 private:
  // Replaces the state of a member whose life nobody holds.
  virtual void put_state(const std::string& member, const MemberState& state) const = 0;
};

}  // namespace team
