// The team of a board, as far as changes of tasks need it: its members, whether they run, and its hooks.
//
// This class itself stands for a board without a team.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "libteam/record/event.h"
#include "libteam/record/life.h"
#include "libteam/store/board_engine.h"

namespace team {

class LifeEngine;

// Events that are in the log.
struct RecordedEvents {
  EventOrigin origin;
  std::vector<Event> events;
  Logged logged;
};

class BoardTeam {
 public:
  BoardTeam() = default;
  BoardTeam(const BoardTeam&) = delete;
  BoardTeam& operator=(const BoardTeam&) = delete;
  virtual ~BoardTeam() = default;

  virtual std::string name() const { return {}; }
  virtual const std::vector<std::string>& members() const { return nobody_; }
  // Whether the process of a member runs.
  virtual Life life_of(const std::string& /*member*/) const { return Life::unknown; }
  // The lives of all members; null without a team.
  virtual std::shared_ptr<const LifeEngine> lives() const { return nullptr; }

  using Events = std::function<std::vector<Event>()>;
  // Before a change, while nobody holds the board: throws permission_denied if the hook refuses one of the events.
  // Calls `events` only if the team has this hook.
  virtual void ask(const EventOrigin& /*origin*/, const std::string& /*hook*/, const Events& /*events*/) {}
  // After each attempted change, while nobody holds the board: runs the post hooks of the recorded events. Throws
  // nothing.
  virtual void tell(const std::vector<RecordedEvents>& /*recorded*/) {}

  // Reads the members again. Opens the new team if the team was removed and made again. If there is no new team, the
  // old one stays open.
  virtual BoardEngine::Place reopen() { return BoardEngine::Place::same; }

 private:
  std::vector<std::string> nobody_;
};

}  // namespace team
