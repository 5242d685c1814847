// Panes for teammates: one session per team, one pane per teammate, in the tmux that the user is in, else in a server
// of the team's own. Panes are known by their ids; only those made here are ever touched, and nothing is typed into
// them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libteam/record/member_state.h"

namespace team {

class Tmux {
 public:
  // For the team of this name in the root at `root`.
  Tmux(const std::string& team, const std::string& root);

  struct Pane {
    std::string title, directory;
    std::vector<std::string> arguments;                            // what runs in it
    std::vector<std::pair<std::string, std::string>> environment;  // no secrets: others can see it
  };
  // Gives the pane's id. Throws io with what tmux said.
  std::string open(const Pane& pane) const;
  bool has(const std::string& pane) const;
  // Gone, or kept though what ran in it has ended.
  bool is_dead(const std::string& pane) const;
  void close(const std::string& pane) const;

  // What to type to see it.
  std::string how_to_attach() const;

 private:
  bool has_session() const;
  std::optional<std::string> last_pane() const;
  std::string run(std::vector<std::string> arguments) const;
  std::optional<std::string> try_to(std::vector<std::string> arguments) const;

  std::vector<std::string> server_;  // tmux and which server
  std::string session_;
};

// Whether a tmux can be run here.
bool has_tmux();
bool inside_tmux();

// Closes the pane of a teammate that has ended, if we made it and it is still there.
void close_left_pane(const MemberState& state, const std::string& title);

}  // namespace team
