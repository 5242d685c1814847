#include "libteam/store/status.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libteam/base/clock.h"
#include "libteam/base/json.h"
#include "libteam/base/text.h"
#include "libteam/record/prices.h"
#include "libteam/record/settings.h"
#include "libteam/store/presence.h"

namespace team {

namespace {

std::string describe_life(Life life, const std::optional<MemberState>& state) {
  if (life == Life::unknown) return "-";
  if (life == Life::running) return state ? std::string(name_of(state->state)) : "running";
  const bool orderly = state && (state->state == State::shutdown || state->state == State::error);
  return orderly ? std::string(name_of(state->state)) : "dead";
}

// A broken file tells nothing.
std::optional<MemberState> state_if_whole(const Folder& folder, const std::string& member) {
  try {
    return state_of(folder, member);
  } catch (const Error& error) {
    if (error.code() != Code::corrupt) throw;
    return std::nullopt;
  }
}

std::string since(const std::optional<double>& moment) {
  return moment ? fmt::format(" for {}", describe_seconds(now() - *moment)) : std::string();
}

Life life_of(const Roster& roster, const Team* team, const std::string& member) {
  return team != nullptr && team->find(member) != nullptr ? roster.life_of(team->name, member) : Life::unknown;
}

Reason explain_blocker(TaskId id, const BoardView& view) {
  try {
    const Task blocker = view.get(id);
    const std::string name = fmt::format("waits for #{} '{}'", id, cut_characters(one_line(blocker.subject), 60));
    switch (blocker.status) {
      case Status::failed:
        return {id, "failed", fmt::format("{}, which failed: {}", name, blocker.error.value_or("-"))};
      case Status::in_progress:
        return {id, "blocked", fmt::format("{}, in progress by {}{}", name, *blocker.owner, since(blocker.claimed_at))};
      default: return {id, "blocked", fmt::format("{}, pending{}", name, blocker.owner ? " at " + *blocker.owner : "")};
    }
  } catch (const Error& error) {
    if (error.code() == Code::not_found) return {id, "missing", fmt::format("waits for #{}, which does not exist", id)};
    if (error.code() == Code::corrupt) return {id, "broken", fmt::format("waits for #{}: {}", id, error.what())};
    throw;
  }
}

std::optional<Reason> explain_role(const Task& task, const Team* team) {
  if (!task.role || task.owner) return std::nullopt;
  std::vector<std::string> able;
  if (team != nullptr) {
    for (const Member& member : team->members) {
      if (member.role == task.role) able.push_back(member.name);
    }
  }
  if (able.empty()) return Reason{task.id, "role", fmt::format("only for role {}, which nobody has", *task.role)};
  return Reason{task.id, "role", fmt::format("only for role {}: {}", *task.role, join(able, ", "))};
}

}  // namespace

std::vector<MemberStatus> look_at_members(const Roster& roster, const Team& team) {
  const Folder folder = roster.folder_of(team.name);
  const auto life_of = roster.lives(team.name);
  const std::string prices = setting(team, "model.prices");
  std::vector<MemberStatus> members;
  for (const Member& member : team.members) {
    const Life life = life_of(member.name);
    auto state = state_if_whole(folder, member.name);
    MemberStatus status;
    status.name = member.name;
    status.role = member.role;
    if (state) {
      status.model = state->model;
      status.usage = parse_usage(state->usage);
      if (status.model) status.cost = cost_of(status.usage, *status.model, prices);
    }
    if (life == Life::unknown) state.reset();  // what it used stays true; how it was tells nothing
    status.state = life == Life::unknown && member.name == team.lead ? "lead" : describe_life(life, state);
    if (state) {
      status.since = state->since;
      status.reason = state->reason;
      status.task = life == Life::running ? state->task : std::nullopt;
      if (life == Life::running) status.pid = state->pid;
      if (life == Life::running) status.pane = state->pane;
    }
    members.push_back(std::move(status));
  }
  return members;
}

TeamStatus look_at_team(const Roster& roster, const Team& team, const BoardView& view,
                        const BoardView::Report& broken) {
  TeamStatus status{team.name, team.lead, team.board, look_at_members(roster, team), {}, {}, 0.0};
  for (MemberStatus& member : status.members) {
    member.task.reset();
    status.usage += member.usage;
    if (total(member.usage) == 0) continue;
    status.cost = status.cost && member.cost ? std::optional(*status.cost + *member.cost) : std::nullopt;
  }
  BoardStatus& tasks = status.tasks;
  const auto count = [&](const SeenTask& seen) {
    const Task& task = seen.task;
    const bool waits = !seen.standing.open_blockers.empty();
    ++tasks.total;
    switch (task.status) {
      case Status::pending: ++(waits ? tasks.blocked : tasks.ready); break;
      case Status::in_progress: ++tasks.in_progress; break;
      case Status::completed: ++tasks.completed; break;
      case Status::failed: ++tasks.failed; break;
    }
    if (task.status == Status::pending && waits) tasks.blocked_tasks.push_back(task.id);
    if (task.status == Status::failed) tasks.failed_tasks.push_back(task.id);
    if (task.status != Status::in_progress) return;
    for (MemberStatus& member : status.members) {
      if (member.name != task.owner) continue;
      member.task = task.id;
      member.subject = task.subject;
    }
  };
  view.each({}, BoardView::Detail::open_blockers, count, broken);
  return status;
}

std::vector<Reason> explain(const Task& task, const Roster& roster, const Team* team, const BoardView& view) {
  const std::string owner = task.owner.value_or("-");
  const Life life = life_of(roster, team, owner);
  switch (task.status) {
    case Status::completed: return {{task.id, "completed", fmt::format("completed by {}", owner)}};
    case Status::failed:
      return {{task.id, "failed", fmt::format("failed at {}: {}", owner, task.error.value_or("no reason given"))}};
    case Status::in_progress:
      if (life == Life::dead) {
        return {{task.id, "dead", fmt::format("in progress by {}, who died; the next claim releases it", owner)}};
      }
      return {{task.id, "running", fmt::format("in progress by {}{}", owner, since(task.claimed_at))}};
    case Status::pending: break;
  }
  std::vector<Reason> reasons;
  for (const TaskId blocker : view.standing_of(task).open_blockers) reasons.push_back(explain_blocker(blocker, view));
  if (const auto role = explain_role(task, team)) reasons.push_back(*role);
  if (task.owner) {
    const std::string state = life == Life::dead ? ", who died" : life == Life::running ? ", who is running" : "";
    reasons.push_back({task.id, "assigned", fmt::format("assigned to {}{}", owner, state)});
  }
  if (reasons.empty()) {
    const std::string before = task.error ? fmt::format("; last time: {}", *task.error) : std::string();
    reasons.push_back({task.id, "ready", "ready: nobody has claimed it" + before});
  }
  return reasons;
}

std::string to_line(const Reason& reason) {
  return dump_line({{"task", reason.task}, {"kind", reason.kind}, {"reason", reason.text}});
}

}  // namespace team
