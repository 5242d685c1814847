// Panes for teammates: one session per team, one pane per teammate, in the user's tmux server or else in a server of
// the team.
//
// Panes are known by their ids. Only panes made here are changed, and nothing is typed into them. A server that starts
// here gets a small fixed part of our environment, since it shows its environment to every program in it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libteam/record/member_state.h"

namespace team {

class Tmux {
 public:
  // For the team of this name in the root at `root`. `socket` names a server to use instead, if it answers.
  Tmux(const std::string& team, const std::string& root, const std::optional<std::string>& socket = std::nullopt);

  struct Pane {
    std::string title, directory;
    std::vector<std::string> arguments;  // the program that runs in it, with the environment of the server
  };
  // Returns the id of the pane. Throws io with the message of tmux.
  std::string open(const Pane& pane) const;
  bool has(const std::string& pane) const;
  // True if the pane is gone, or if its program has ended.
  bool is_dead(const std::string& pane) const;
  void close(const std::string& pane) const;

  // The command that shows the session.
  std::string how_to_attach() const;

 private:
  bool has_session() const;
  std::optional<std::string> last_pane() const;
  std::string run(std::vector<std::string> arguments) const;
  std::optional<std::string> try_to(std::vector<std::string> arguments) const;

  std::string session_;
  std::vector<std::string> server_;  // tmux and the option that names the server
  std::string attach_;
};

// True if the program tmux can be run.
bool has_tmux();

// The server that TMUX names: `gone` if nothing listens on its socket.
enum class TmuxAround { none, alive, gone };
TmuxAround tmux_around();

// Closes the pane of a teammate that has ended, if we made it and it is still there.
void close_left_pane(const MemberState& state, const std::string& title);

}  // namespace team
