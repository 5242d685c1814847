#include "libteam/store/presence.h"

#include "libteam/base/clock.h"
#include "libteam/store/engine.h"
#include "libteam/store/team_summary.h"

namespace team {

namespace {

const std::string kAllIdle =
    "[All Idle] All agents are idle. Review task board status and decide next steps — assign new tasks, check results.";

bool is_working(State state) { return state == State::active || state == State::plan_pending; }

}  // namespace

Presence::Presence(const Engine& engine, const Team& team, const std::string& member)
    : member_(member),
      lock_timeout_(engine.lock_timeout()),
      lives_(engine.open_lives(team.name)),
      life_(lives_->take(member)) {}

void Presence::move_to(const Engine& engine, const std::string& team) {
  auto lives = engine.open_lives(team);
  life_->move_to(*lives);
  lives_ = std::move(lives);
  life_->write(now_);
}

void Presence::begin(MemberState first, const Mail& mail, const Actor& actor) {
  now_ = std::move(first);
  now_.since = team::now();
  life_->write(now_);
  mail.record(actor, {member_state_event(before() ? std::optional(before()->state) : std::nullopt, now_)});
}

void Presence::become(State state, const std::string& reason, std::optional<TaskId> task, const Mail& mail,
                      const Actor& actor) {
  const State from = now_.state;
  const bool same = from == state;
  const auto until = state == State::paused ? until_ : std::nullopt;
  until_.reset();
  if (same && now_.task == task && now_.reason == reason && now_.until == until) return;
  const bool changes_work = is_working(state) != is_working(from);
  const auto write = [&] {
    now_.state = state;
    now_.reason = reason;
    now_.task = task;
    now_.until = until;
    now_.since = team::now();
    life_->write(now_);
  };
  if (is_idle(from) != is_idle(state) || changes_work) {
    lives_->exclusively(lock_timeout_, [&] {
      write();
      // A lead that looks at the board does not begin another idle period: somebody else has to work.
      if (is_working(state) && !actor.leads) lives_->end_idle_period();
    });
  } else {
    write();
  }
  if (!same) mail.record(actor, {member_state_event(from, now_)});
}

void Presence::set_start(Start start) {
  now_.start = std::move(start);
  life_->write(now_);
}

void Presence::set_session(const std::optional<AgentSession>& session) {
  now_.session = session;
  life_->write(now_);
}

void Presence::set_usage(std::string usage) {
  now_.usage = std::move(usage);
  try {
    life_->write(now_);
  } catch (const Error& error) {
    if (error.code() != Code::io && error.code() != Code::unknown) throw;
  }
}

void Presence::tell_if_all_idle(const Team& team, Board& board, const Mail& mail) const {
  if (!is_idle(now_) || lives_->is_idle_period() || !is_everybody_idle(*lives_, team)) return;
  std::function<void()> record;
  const std::string text = kAllIdle + ("\n\n" + summarize_members(mail.engine(), team, MemberDetail::all));
  lives_->exclusively(lock_timeout_, [&] {
    if (lives_->is_idle_period()) return;
    const auto tell = [&] { record = mail.put_notice(team.lead, "all_idle", text); };
    if (is_all_idle(*lives_, team, board, tell)) lives_->begin_idle_period();
  });
  if (record) record();
}

bool is_member_idle(const LifeEngine& lives, const std::string& member) {
  if (lives.life_of(member) != Life::running) return false;
  const auto state = lives.state_of(member);
  return state && is_idle(*state);
}

bool is_everybody_idle(const LifeEngine& lives, const Team& team) {
  bool any = false;
  for (const Member& member : team.members) {
    if (member.name == team.lead || lives.life_of(member.name) != Life::running) continue;
    const auto state = lives.state_of(member.name);
    if (!state || !is_idle(*state)) return false;
    any = true;
  }
  return any;
}

bool is_all_idle(const LifeEngine& lives, const Team& team, Board& board, const std::function<void()>& then) {
  if (!is_everybody_idle(lives, team)) return false;
  // A dead member takes no task. A member that was never run by us, or that is about to start, may take one.
  std::vector<Member> able = team.members;
  std::erase_if(able, [&](const Member& member) { return has_died(lives, member.name); });
  return board.is_quiet(able, then);
}

bool has_died(const LifeEngine& lives, const std::string& member) {
  return lives.life_of(member) == Life::dead && lives.has_begun(member);
}

bool has_died(const Board& board, const std::string& member) {
  return board.life_of(member) == Life::dead && board.lives()->has_begun(member);
}

}  // namespace team
