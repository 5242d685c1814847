// The context of a command: finds the store, the team and the actor, and opens a session on them. Each is found when it
// is first needed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "libteam/cli/output.h"
#include "libteam/record/team.h"
#include "libteam/store/engine.h"
#include "libteam/store/team_session.h"

namespace team {

// The common options and the environment, as given.
struct Choices {
  std::optional<std::string> directory;  // -C
  std::optional<std::string> team;       // -t
  std::optional<std::string> actor;      // --as
  bool json = false;
  bool allows_network = false;  // --allow-netfs
  double lock_timeout = 5;
  std::optional<std::string> environment_root, environment_team, environment_member, run;
};

// TEAM_ROOT, TEAM_NAME, TEAM_MEMBER, TEAM_RUN_ID; an empty one counts as unset.
void read_environment(Choices& choices);

class Context {
 public:
  explicit Context(Choices choices);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  Output& out() { return out_; }
  bool json() const { return choices_.json; }
  const Choices& choices() const { return choices_; }

  // The store. Throws not_found.
  const Engine& engine();
  // Opens everything again when it is next needed, after the command has entered another folder: paths of the store may
  // be relative to the old one. Everything from here is invalid then.
  void reopen();
  // For commands that may make the store: uses the current folder if there is no root.
  void make_root_here() { may_make_ = true; }

  // From -t, else TEAM_NAME, else the only team; null if the root has none. Throws usage if there are several.
  const Team* team_or_none();
  // The same, but throws if there is none.
  const Team& team();
  // As if -t had named it: for a command whose operand is a team.
  void choose_team(const std::string& name) { choices_.team = name; }
  // How the team was found, for people; valid after team_or_none().
  const std::string& team_rule() const { return team_rule_; }

  // Throws permission_denied for a name that the caller may not use, usage for an invalid name.
  std::string actor_name() const;
  // The actor with its rights, which depend on the team.
  const Actor& actor();
  // Throws permission_denied unless the actor is the lead or the user.
  void require_lead(std::string_view what);
  // Throws permission_denied unless this user has made or accepted the team: `what` would run commands from its store.
  void require_trust(std::string_view what);
  // All operations, in the name of the actor, on the team or, without one, on the default board.
  TeamSession& session();

  // Call it before a change. If the answer then cannot be written, the exit status is not 0.
  void changes() { changes_ = true; }
  bool may_have_changed() const { return changes_; }
  // Call it after a change. A later failure of the system is then not reported as "nothing changed".
  void made() { made_ = true; }
  bool has_made() const { return made_; }

 private:
  Choices choices_;
  Output out_;
  bool may_make_ = false;
  bool changes_ = false;
  bool made_ = false;
  std::unique_ptr<const Engine> engine_;
  bool team_known_ = false;
  std::shared_ptr<const FoundTeam> team_;
  std::string team_rule_;
  std::optional<Actor> actor_;
  std::unique_ptr<TeamSession> session_;
};

}  // namespace team
