// Starts teammates: in the background, detached and with a log file, or each in a pane of tmux.
//
// A teammate has started when it holds its alive lock and has written its state. A failed start leaves nothing behind.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libteam/record/member_state.h"
#include "libteam/store/team_session.h"
#include "libteam/system/keys.h"

namespace team {

// Throws permission_denied if CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS or ENABLE_AGENT_TEAMS forbids agents to start
// others.
void check_enabled();

// The environment of another member: it has the keys, and no variable that names this member.
Variables environment_of_others(Keys keys);

// `mode` is auto, background, in-process (another word for background) or tmux. auto means tmux for a caller inside
// tmux. Where tmux does not work, `warn` gets a line and the mode is background. Throws usage for another word.
enum class SpawnMode { background, tmux };
SpawnMode choose_mode(const std::string& mode, const std::function<void(std::string_view)>& warn);

class Spawner {
 public:
  Spawner(TeamSession& session, SpawnMode mode, std::function<void(std::string_view)> warn);

  // The keys for started teammates. Without this call they get the keys of our environment.
  void give(Keys keys) { keys_ = std::move(keys); }
  // The socket of a tmux server to prefer, such as the one that a teammate ran in before.
  void prefer_server(std::optional<std::string> socket) { socket_ = std::move(socket); }

  // Adds members to the team, all or none. Throws the errors of Membership::recruit().
  std::vector<std::string> recruit(const Recruits& recruits);
  // Starts members that were just recruited, and calls `started` for each. If one does not start, throws its error
  // message; it and the members after it are removed from the team.
  void start_all(const std::vector<std::string>& names, const std::vector<std::string>& arguments,
                 const std::function<void(const std::string& name)>& started);
  // Starts a member of the team in `directory` (empty: the root). Throws conflict if it runs.
  void start(const std::string& name, const std::vector<std::string>& arguments, const std::string& directory);

  // The command that shows the opened panes; empty if there are none.
  const std::string& how_to_attach() const { return attach_; }

  // The command line of a member: a program and its arguments.
  std::vector<std::string> command_line(const std::string& name, const std::vector<std::string>& arguments) const;

 private:
  void start_in_background(const std::string& name, const std::vector<std::string>& arguments,
                           const std::string& directory) const;
  bool start_in_pane(const std::string& name, const std::vector<std::string>& arguments, const std::string& directory);
  void dismiss(std::vector<std::string> names);

  TeamSession& session_;
  SpawnMode mode_;
  std::function<void(std::string_view)> warn_;
  Keys keys_;
  std::optional<std::string> socket_;
  std::string attach_;
};

}  // namespace team
