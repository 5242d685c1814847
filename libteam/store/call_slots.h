// Limits the model calls of a team: how many run at once, and the time before which none begins.
//
// A slot is free as soon as its process ends. A waiting process holds no lock. Several threads may use this.
#pragma once

#include <cstdint>
#include <memory>

namespace team {

class CallSlots {
 public:
  virtual ~CallSlots() = default;

  class Slot {
   public:
    virtual ~Slot() = default;
  };
  // One of `count` slots, to be kept as long as the call; null if all are taken.
  virtual std::unique_ptr<Slot> try_take(std::int64_t count) const = 0;

  // Notices every slot that becomes free while this object exists.
  class Queue {
   public:
    virtual ~Queue() = default;
    // Blocks until a slot may be free, something can be read from the descriptor, or a second has passed.
    virtual void wait() = 0;
  };
  virtual std::unique_ptr<Queue> queue(int interrupt) const = 0;

  // The time before which no call begins, as seconds since the epoch; 0 if none was set. It is shared by the team.
  virtual double paused_until() const = 0;
  virtual void pause_until(double time) const = 0;
};

}  // namespace team
