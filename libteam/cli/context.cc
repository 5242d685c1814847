#include "libteam/cli/context.h"

#include <utility>

#include "libteam/base/environment_variable.h"
#include "libteam/record/actor.h"
#include "libteam/repo/git_judge.h"
#include "libteam/store/files/file_engine.h"
#include "libteam/store/team_choice.h"

namespace team {

void read_environment(Choices& choices) {
  choices.environment_root = environment_variable("TEAM_ROOT");
  choices.environment_team = environment_variable("TEAM_NAME");
  choices.environment_member = environment_variable("TEAM_MEMBER");
  choices.run = environment_variable("TEAM_RUN_ID");
}

Context::Context(Choices choices) : choices_(std::move(choices)) {}

const Engine& Context::engine() {
  if (!engine_) {
    const RootChoice choice{choices_.directory, choices_.environment_root, choices_.allows_network};
    auto opened = open_engine(choice, may_make_ ? Missing::make : Missing::refuse, choices_.lock_timeout);
    opened->set_landing_judge(make_git_judge(opened->place(), choices_.lock_timeout));
    engine_ = std::move(opened);
  }
  return *engine_;
}

void Context::reopen() {
  choices_.directory = engine().place();
  actor_.reset();
  session_.reset();
  team_.reset();
  team_known_ = false;
  engine_.reset();
}

const Team* Context::team_or_none() {
  if (session_) return session_->team_or_none();
  if (!team_known_) {
    const auto& named = choices_.team ? choices_.team : choices_.environment_team;
    if (named) {
      team_ = std::make_shared<const FoundTeam>(engine().find_team(*named));
      team_rule_ = choices_.team ? "-t" : "TEAM_NAME";
    } else {
      const OnlyTeam only = find_only_team(engine());
      team_rule_ = only.rule;
      if (only.name) team_ = std::make_shared<const FoundTeam>(engine().find_team(*only.name));
    }
    team_known_ = true;
  }
  return team_ ? &team_->team : nullptr;
}

const Team& Context::team() {
  const Team* found = team_or_none();
  if (found == nullptr) fail_without_team(engine());
  return *found;
}

std::string Context::actor_name() const { return choose_actor(choices_.environment_member, choices_.actor); }

const Actor& Context::actor() {
  if (!actor_) actor_ = make_actor(actor_name(), choices_.run, team_or_none());
  return *actor_;
}

void Context::require_lead(std::string_view what) { team::require_lead(actor(), what); }

void Context::require_trust(std::string_view what) { session().require_trust(what); }

TeamSession& Context::session() {
  if (!session_) {
    const Actor& self = actor();
    session_.reset(new TeamSession(engine(), team_, self, may_make_ ? Missing::make : Missing::refuse));
  }
  return *session_;
}

}  // namespace team
