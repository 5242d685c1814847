#include "libteam/store/files/presence.h"

#include "libteam/base/clock.h"
#include "libteam/base/json.h"
#include "libteam/record/settings.h"
#include "libteam/system/lock_holder.h"

namespace team {

namespace {

constexpr const char* kLock = ".lock";
constexpr const char* kIdlePeriod = ".all_idle";
constexpr const char* kAllIdle =
    "[All Idle] All agents are idle. Review task board status and decide next steps — assign new tasks, check results.";

std::string state_file(const std::string& member) { return member + ".json"; }

LifeLock take_life(const Folder& folder, const std::string& member) {
  auto life = LifeLock::acquire(folder, alive_file(member));
  if (life) return std::move(*life);
  const auto pid = holder_of(folder, alive_file(member));
  fail(Code::conflict, "{} is running already{}", member, pid ? fmt::format(", as pid {}", *pid) : "");
}

}  // namespace

Presence::Presence(const Roster& roster, const Team& team, const std::string& member, double lock_timeout)
    : folder_(roster.folder_of(team.name)),
      member_(member),
      lock_timeout_(lock_timeout),
      life_(take_life(folder_, member)) {
  if (const auto lock = Lock::try_acquire(folder_, kLock)) folder_.sweep_temporaries();
  try {
    before_ = state_of(folder_, member);
  } catch (const Error& error) {
    if (error.code() != Code::corrupt) throw;  // it only tells of the past
  }
}

void Presence::move_to(Folder folder) {
  LifeLock life = take_life(folder, member_);
  folder_ = std::move(folder);
  life_ = std::move(life);
  write();
}

void Presence::write() const { folder_.replace(state_file(member_), to_file(now_), Durability::process); }

void Presence::begin(MemberState first, const Mail& mail, const Actor& actor) {
  now_ = std::move(first);
  now_.since = team::now();
  write();
  mail.record(actor, {member_state_event(before_ ? std::optional(before_->state) : std::nullopt, now_)});
}

void Presence::become(State state, const std::string& reason, std::optional<TaskId> task, const Mail& mail,
                      const Actor& actor) {
  const State from = now_.state;
  const bool same = from == state;
  if (same && now_.task == task && now_.reason == reason) return;
  {
    const bool worked = from == State::active || from == State::plan_pending;
    const bool works = state == State::active || state == State::plan_pending;
    std::optional<Lock> lock;
    if (is_idle(from) != is_idle(state) || works != worked) lock.emplace(Lock::acquire(folder_, kLock, lock_timeout_));
    now_.state = state;
    now_.reason = reason;
    now_.task = task;
    now_.since = team::now();
    write();
    // A lead that looks at the board does not make it another idle period: somebody else has to work.
    if (lock && works && !actor.leads) folder_.remove(kIdlePeriod);
  }
  if (!same) mail.record(actor, {member_state_event(from, now_)});
}

void Presence::set_start(Start start) {
  now_.start = std::move(start);
  write();
}

void Presence::set_usage(std::string usage) {
  now_.usage = std::move(usage);
  try {
    write();
  } catch (const Error& error) {
    if (error.code() != Code::io && error.code() != Code::unknown) throw;
  }
}

void Presence::tell_if_all_idle(const Roster& roster, const Team& team, Board& board, const Mail& mail) const {
  if (!is_idle(now_.state) || folder_.has(kIdlePeriod) || !everybody_idles(roster, team)) return;
  std::function<void()> record;
  {
    const Lock lock = Lock::acquire(folder_, kLock, lock_timeout_);
    if (folder_.has(kIdlePeriod)) return;
    const auto tell = [&] { record = mail.put_notice(team.lead, "all_idle", kAllIdle); };
    if (!is_all_idle(roster, team, board, tell)) return;
    folder_.replace(kIdlePeriod, fmt::format("{}\n", team::now()), Durability::process);
  }
  record();
}

std::optional<Event> note_end(const Folder& team_folder, const std::string& member, const std::string& reason) {
  auto state = state_of(team_folder, member);
  if (!state) return std::nullopt;
  const State from = state->state;
  state->state = State::shutdown;
  state->reason = reason;
  state->since = now();
  state->task.reset();
  state->resumable = false;
  team_folder.replace(state_file(member), to_file(*state), Durability::process);
  return member_state_event(from, *state);
}

bool idles(const Roster& roster, const Team& team, const std::string& member) {
  if (roster.life_of(team.name, member) != Life::running) return false;
  const auto state = state_of(roster.folder_of(team.name), member);
  return state && is_idle(state->state);
}

bool everybody_idles(const Roster& roster, const Team& team) {
  const Folder folder = roster.folder_of(team.name);
  const auto life_of = roster.lives(team.name);
  bool any = false;
  for (const Member& member : team.members) {
    if (member.name == team.lead || life_of(member.name) != Life::running) continue;
    const auto state = state_of(folder, member.name);
    if (!state || !is_idle(state->state)) return false;
    any = true;
  }
  return any;
}

bool is_all_idle(const Roster& roster, const Team& team, Board& board, const std::function<void()>& then) {
  if (!everybody_idles(roster, team)) return false;
  // Those who are dead take nothing; those who were never run by us, or are about to start and have written nothing
  // yet, may.
  const Folder folder = roster.folder_of(team.name);
  std::vector<Member> able = team.members;
  const auto life_of = roster.lives(team.name);
  std::erase_if(able, [&](const Member& member) {
    return life_of(member.name) == Life::dead && folder.has(state_file(member.name));
  });
  return board.is_quiet(able, then);
}

}  // namespace team
