#include "libteam/store/team_waiting.h"

#include <optional>

#include "libteam/base/terminal_text.h"
#include "libteam/store/presence.h"

namespace team {

namespace {

constexpr double kStarting = 15;  // seconds that a new member may take to start

// Looks until `look` returns true. While it returns false it may say why the wait is hopeless.
template <class Look>
WaitEnd wait_for_team(const Engine& engine, Board& board, const WaitRules& rules, Look look) {
  Waiter waiter(engine, board, Waiter::Scope::board_and_team, rules);
  while (true) {
    std::optional<Error> missing;
    std::optional<std::string> hopeless;
    try {
      if (look(waiter, hopeless)) return {};
    } catch (const Error& error) {
      // A store that is removed and made again is not there for a moment.
      if (error.code() != Code::not_found && (error.code() != Code::io || board.is_in_place())) throw;
      missing = error;
    }
    if (missing ? waiter.is_certain() : hopeless && !rules.keep_waiting && waiter.is_certain()) {
      if (missing) throw *missing;
      return {WaitEnd::Kind::hopeless, *hopeless};
    }
    if (!missing && !hopeless) waiter.hope();
    if (!waiter.wait(board.lapses())) return {WaitEnd::Kind::too_late};
    if (waiter.has_lapsed()) waiter.reclaim();
  }
}

std::string describe_end(const LifeEngine& lives, const std::string& member) {
  const auto state = lives.state_of(member);
  if (!state) return fmt::format("{} is not running", member);
  const bool orderly = state->state == State::shutdown || state->state == State::error;
  return orderly ? fmt::format("{} is not running: {}: {}", member, name_of(state->state), one_line(state->reason))
                 : fmt::format("{} is not running: it died", member);
}

}  // namespace

WaitEnd wait_idle(Board& board, const Engine& engine, const std::string& team, const std::string& member,
                  const WaitRules& rules) {
  return wait_for_team(engine, board, rules, [&](Waiter&, std::optional<std::string>& hopeless) {
    const Team now = engine.get(team);
    if (now.find(member) == nullptr) {
      hopeless = fmt::format("{} is no longer in team {}", member, team);
    } else if (const auto lives = engine.open_lives(team); is_member_idle(*lives, member)) {
      return true;
    } else if (has_died(board, member)) {
      hopeless = describe_end(*lives, member);
    }
    return false;
  });
}

WaitEnd wait_all_idle(Board& board, const Engine& engine, const std::string& team, const WaitRules& rules) {
  return wait_for_team(engine, board, rules, [&](Waiter& waiter, std::optional<std::string>& hopeless) {
    const Team now = engine.get(team);  // others may have joined
    const auto lives = engine.open_lives(team);
    if (is_all_idle(*lives, now, board)) return true;
    // A task of a dead member may be all that is left.
    if (is_everybody_idle(*lives, now)) waiter.reclaim();
    bool any_gone = false;
    for (const Member& member : now.members) {
      if (member.name == now.lead) continue;
      const Life life = board.life_of(member.name);
      if (life == Life::running) return false;
      const bool gone = has_died(board, member.name);
      any_gone = any_gone || gone;
      if (gone || team::now() - member.joined_at > kStarting) continue;
      waiter.look_in(1);
      return false;
    }
    if (any_gone) hopeless = "no teammate is running";
    return false;
  });
}

}  // namespace team
