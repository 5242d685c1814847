#include "libteam/cli/context.h"

#include "libteam/base/environment_variable.h"
#include "libteam/record/actor.h"
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
    engine_ = open_engine(choice, may_make_ ? Missing::make : Missing::refuse, choices_.lock_timeout);
  }
  return *engine_;
}

const Team* Context::team_or_none() {
  if (!team_known_) {
    const auto& named = choices_.team ? choices_.team : choices_.environment_team;
    if (named) {
      team_ = engine().find_team(*named);
      team_rule_ = choices_.team ? "-t" : "TEAM_NAME";
    } else {
      const OnlyTeam only = find_only_team(engine());
      team_rule_ = only.rule;
      if (only.name) team_ = engine().find_team(*only.name);
    }
    team_known_ = true;
  }
  return team_ ? &team_->team : nullptr;
}

const Team& Context::team() {
  const Team* found = team_or_none();
  if (found == nullptr) fail(Code::not_found, "no team in '{}'; team-create makes one", engine().place());
  return *found;
}

void Context::reopen_team(const Deadline& deadline) {
  constexpr double kAbsence = 5;
  constexpr double kLook = 0.2;
  const std::string name = team().name;
  const Deadline absence = deadline.or_in(kAbsence);
  while (true) {
    try {
      auto found = engine().find_team(name);
      mail_.reset();
      board_.reset();
      team_ = std::move(found);
      return;
    } catch (const Error& error) {
      if (error.code() != Code::not_found || absence.passed()) throw;
    }
    sleep_until(absence.or_in(kLook));
  }
}

std::string Context::actor_name() const { return choose_actor(choices_.environment_member, choices_.actor); }

const Actor& Context::actor() {
  if (!actor_) actor_ = make_actor(actor_name(), choices_.run, team_or_none());
  return *actor_;
}

void Context::require_lead(std::string_view what) {
  if (!actor().leads) fail(Code::permission_denied, "only the lead or the user may {}, not {}", what, actor().name);
}

void Context::require_trust(std::string_view what) {
  team();  // throws if there is none
  engine().require_trust(*team_, what);
}

Board& Context::board() {
  if (!board_) {
    const Missing missing = may_make_ ? Missing::make : Missing::refuse;
    const Team* team = team_or_none();
    board_.reset(new Board(engine().open_board(team, missing, team != nullptr ? team_->handle : nullptr)));
  }
  return *board_;
}

Mail& Context::mail() {
  if (!mail_) {
    const Team& of = team();
    mail_.emplace(engine().open_team(of, team_->handle), of);
  }
  return *mail_;
}

Mail* Context::mail_or_none() { return team_or_none() != nullptr ? &mail() : nullptr; }

}  // namespace team
