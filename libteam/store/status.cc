#include "libteam/store/status.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libteam/base/clock.h"
#include "libteam/base/json.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/time_text.h"
#include "libteam/base/utf8.h"
#include "libteam/record/prices.h"
#include "libteam/record/settings.h"
#include "libteam/store/quota_ledger.h"

namespace team {

namespace {

std::string describe_life(Life life, const std::optional<MemberState>& state) {
  if (life == Life::unknown) return "-";
  if (life == Life::running) return state ? std::string(name_of(state->state)) : "running";
  const bool orderly = state && (state->state == State::shutdown || state->state == State::error);
  return orderly ? std::string(name_of(state->state)) : "dead";
}

// None also for a state that is broken, or that others could have written.
std::optional<MemberState> state_if_whole(const LifeEngine& lives, const std::string& member) {
  try {
    return lives.state_of(member);
  } catch (const Error& error) {
    if (error.code() != Code::corrupt && error.code() != Code::permission_denied) throw;
    return std::nullopt;
  }
}

std::string since(const std::optional<double>& moment) {
  return moment ? fmt::format(" for {}", describe_seconds(now() - *moment)) : std::string();
}

Life life_of(const TeamEngine* engine, const Team* team, const std::string& member) {
  return team != nullptr && team->find(member) != nullptr ? engine->lives().life_of(member) : Life::unknown;
}

// How the last run of a dead member ended: by its own record, else it was killed.
std::string describe_end(const TeamEngine& engine, const std::string& member) {
  try {
    const auto state = engine.lives().state_of(member);
    if (state && (state->state == State::shutdown || state->state == State::error)) {
      return fmt::format("who ended ({})", one_line(state->reason));
    }
  } catch (const Error&) {
    // team-fsck reports a broken state.
  }
  return "who died";
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

std::vector<MemberStatus> look_at_members(const TeamEngine& engine, const Team& team) {
  const LifeEngine& lives = engine.lives();
  const std::string prices = setting(team, "model.prices");
  std::vector<MemberStatus> members;
  for (const Member& member : team.members) {
    const Life life = lives.life_of(member.name);
    auto state = state_if_whole(lives, member.name);
    MemberStatus status;
    status.name = member.name;
    status.role = member.role;
    if (state) {
      status.model = state->model;
      status.usage = parse_usage(state->usage);
      status.cost = full_cost_of(status.usage, status.model, prices);
    }
    if (life == Life::unknown) state.reset();  // what it used stays true; how it was tells nothing
    status.state = life == Life::unknown && member.name == team.lead ? "lead" : describe_life(life, state);
    if (state) {
      status.since = state->since;
      status.reason = state->reason;
      if (life == Life::running) status.until = state->until;
      status.task = life == Life::running ? state->task : std::nullopt;
      status.is_running = life == Life::running;
      // A member in another pid namespace has a pid that means another process here, or none.
      const bool is_here = life == Life::running && lives.is_process_of(static_cast<int>(state->pid), member.name);
      if (is_here) status.pid = state->pid;
      if (life == Life::running) status.pane = state->pane;
    }
    members.push_back(std::move(status));
  }
  return members;
}

namespace {

// Reads the board once, and keeps the first tasks of each kind.
class BoardReader {
 public:
  BoardReader(TeamStatus& status, const BoardView& view) : status_(status), view_(view) {}

  void read(const BoardView::Report& broken) {
    view_.each(
        {}, BoardView::Detail::open_blockers, [&](const SeenTask& seen) { take(seen); }, broken);
    std::stable_sort(notes().begin(), notes().end(), [](const auto& a, const auto& b) { return a.kind < b.kind; });
  }

 private:
  using Kind = TaskNote::Kind;
  static constexpr std::size_t kMostOfAKind = 5;
  static constexpr std::size_t kMostRunning = 20;

  std::vector<TaskNote>& notes() { return status_.tasks.notes; }

  void take(const SeenTask& seen) {
    BoardStatus& tasks = status_.tasks;
    const Task& task = seen.task;
    ++tasks.total;
    switch (task.status) {
      case Status::completed: ++tasks.completed; return;
      case Status::failed:
        tasks.failed_tasks.push_back(task.id);
        if (++tasks.failed <= kMostOfAKind) note(task, Kind::failed, task.error.value_or("no reason given"));
        return;
      case Status::in_progress: take_running(task); return;
      case Status::pending: break;
    }
    if (seen.standing.open_blockers.empty()) {
      if (++tasks.ready <= kMostOfAKind) note(task, Kind::ready, task.role ? "for role " + *task.role : "");
      warn_of_role(task);
    } else {
      tasks.blocked_tasks.push_back(task.id);
      if (++tasks.blocked <= kMostOfAKind) note(task, Kind::blocked, describe_wait(seen.standing.open_blockers));
    }
  }

  void take_running(const Task& task) {
    if (++status_.tasks.in_progress <= kMostRunning) {
      note(task, Kind::in_progress, describe_work(task));
    }
    for (MemberStatus& member : status_.members) {
      if (member.name != task.owner) continue;
      member.task = task.id;
      member.subject = task.subject;
      if (member.state == "dead") {
        warn("dead", fmt::format("task {} is held by {}, who died; the next claim or task-reclaim gives it back",
                                 task.id, member.name));
      }
    }
  }

  static std::string describe_work(const Task& task) {
    std::string text = task.claimed_at ? "for " + describe_seconds(now() - *task.claimed_at) : "";
    if (task.attempts > 1) text += fmt::format("{}attempt {}", text.empty() ? "" : ", ", task.attempts);
    return text;
  }

  void warn_of_role(const Task& task) {
    if (!task.role || task.owner) return;
    bool is_known = false, is_there = false;
    for (const MemberStatus& member : status_.members) {
      is_known = is_known || member.role == task.role;
      is_there = is_there || (member.role == task.role && !has_left(member));
    }
    if (is_there) return;
    warn("role", fmt::format("task {} is for role {}, which {}", task.id, *task.role,
                             is_known ? "nobody has who runs" : "nobody has"));
  }

  static bool has_left(const MemberStatus& member) {
    return member.state == "dead" || member.state == "shutdown" || member.state == "error";
  }

  std::string describe_wait(const std::vector<TaskId>& blockers) const {
    constexpr std::size_t kMostNamed = 3;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(kMostNamed, blockers.size()); ++i) names.push_back(name_blocker(blockers[i]));
    if (blockers.size() > kMostNamed) names.push_back(fmt::format("{} more", blockers.size() - kMostNamed));
    return "waits for " + join(names, ", ");
  }

  std::string name_blocker(TaskId id) const {
    try {
      const Task blocker = view_.get(id);
      if (blocker.status == Status::failed) return fmt::format("#{} (failed)", id);
      return blocker.owner ? fmt::format("#{} ({})", id, *blocker.owner) : fmt::format("#{}", id);
    } catch (const Error&) {
      return fmt::format("#{} (missing)", id);
    }
  }

  void note(const Task& task, Kind kind, std::string text) {
    notes().push_back({task.id, kind, task.owner, task.subject, std::move(text)});
  }

  void warn(std::string kind, std::string text) {
    constexpr std::size_t kMostWarnings = 10;
    if (status_.warnings.size() < kMostWarnings) status_.warnings.push_back({std::move(kind), std::move(text)});
  }

  TeamStatus& status_;
  const BoardView& view_;
};

void count_unread(TeamStatus& status, const TeamEngine& engine) {
  for (MemberStatus& member : status.members) {
    engine.mailbox(member.name).peek({}, SIZE_MAX, std::nullopt, [&](const Message&) { ++member.unread; });
  }
}

}  // namespace

namespace {

// A short text as a whole; of a long one its last line.
std::string last_words_of(std::string text, std::size_t longest) {
  while (!text.empty() && is_blank(text.substr(text.size() - 1))) text.pop_back();
  if (count_characters(text) > longest) text.erase(0, text.rfind('\n') + 1);
  const std::string line = one_line(text);
  const std::size_t begin = line.find_first_not_of(' ');
  return begin == std::string::npos ? "" : cut_characters(line.substr(begin), longest);
}

}  // namespace

// A text of a model is several events of one message.
void find_last_words(std::vector<MemberStatus>& members, const EventLog& events) {
  constexpr std::size_t kMostLines = 400;
  constexpr std::size_t kLongest = 200;
  struct Words {
    std::string message, text;
    bool is_whole = false;
  };
  std::vector<Words> all(members.size());
  std::size_t lines = 0;
  const auto visit = [&](const Envelope& envelope, Words& words, bool is_said) {
    const std::string message = detail(envelope, "message_id");
    if (words.is_whole || (!words.text.empty() && message != words.message)) {
      words.is_whole = true;
      return;
    }
    const std::string text = detail(envelope, is_said ? "delta" : "text");
    if (is_blank(text) && words.text.empty()) return;
    words.message = message;
    words.text.insert(0, text);
    words.is_whole = !is_said || words.text.size() > 8 * kLongest;
  };
  events.each_backward([&](std::string_view line) {
    if (++lines > kMostLines) return false;
    const bool is_said = line.find("\"TEXT_MESSAGE_CONTENT\"") != std::string_view::npos;
    if (!is_said && line.find("\"MESSAGE_SENT\"") == std::string_view::npos) return true;
    const auto envelope = find_envelope(line);
    for (std::size_t i = 0; envelope && i < members.size(); ++i) {
      if (members[i].name == envelope->agent) visit(*envelope, all[i], is_said);
    }
    return std::any_of(all.begin(), all.end(), [](const Words& words) { return !words.is_whole; });
  });
  for (std::size_t i = 0; i < members.size(); ++i) {
    members[i].last_words = last_words_of(all[i].text, kLongest);
  }
}

namespace {

void find_plans(TeamStatus& status, const TeamEngine& engine) {
  for (const Request& request : engine.pending_requests([](const Error&) {})) {
    if (!is_for_approval(request.kind)) continue;
    status.plans.push_back(
        {request.id, request.from, request.to, request.task, summarize(request.content), request.created_at});
  }
}

void find_paused(TeamStatus& status, const TeamEngine& engine) {
  for (const Exchange& one : engine.exchanges().all) {
    if (!one.told) continue;
    status.warnings.push_back({"paused", describe(one) + "; write to either to continue (exchange.limit)"});
  }
}

void find_quotas(TeamStatus& status, const TeamEngine& engine) {
  status.quotas = pauses_in_force(engine);
  for (const QuotaPause& pause : status.quotas) {
    const bool is_limit = is_budget(pause.quota);
    status.warnings.push_back(
        {is_limit ? "budget" : "quota",
         is_limit ? fmt::format("{}; raise {} to continue", pause.reason, pause.quota)
                  : fmt::format("{} is paused {}: {}", pause.quota, describe_end(pause), pause.reason)});
  }
}

}  // namespace

TeamStatus look_at_team(const TeamEngine& engine, const Team& team, const BoardView& view,
                        const BoardView::Report& broken) {
  TeamStatus status;
  status.team = team.name;
  status.lead = team.lead;
  status.board = team.board;
  status.members = look_at_members(engine, team);
  status.cost = 0.0;
  for (MemberStatus& member : status.members) {
    member.task.reset();
    status.usage += member.usage;
    if (is_nothing(member.usage)) continue;
    status.cost = status.cost && member.cost ? std::optional(*status.cost + *member.cost) : std::nullopt;
  }
  BoardReader(status, view).read(broken);
  count_unread(status, engine);
  find_last_words(status.members, engine.events());
  find_plans(status, engine);
  find_paused(status, engine);
  find_quotas(status, engine);
  if (const auto shortage = engine.shortage()) status.warnings.push_back({"disk", *shortage});
  return status;
}

std::vector<Reason> explain(const Task& task, const TeamEngine* engine, const Team* team, const BoardView& view) {
  const std::string owner = task.owner.value_or("-");
  const Life life = life_of(engine, team, owner);
  switch (task.status) {
    case Status::completed: return {{task.id, "completed", fmt::format("completed by {}", owner)}};
    case Status::failed:
      return {{task.id, "failed", fmt::format("failed at {}: {}", owner, task.error.value_or("no reason given"))}};
    case Status::in_progress:
      if (life == Life::dead) {
        const std::string end = describe_end(*engine, owner);
        return {{task.id, "dead", fmt::format("in progress by {}, {}; the next claim releases it", owner, end)}};
      }
      return {{task.id, "running", fmt::format("in progress by {}{}", owner, since(task.claimed_at))}};
    case Status::pending: break;
  }
  std::vector<Reason> reasons;
  for (const TaskId blocker : view.standing_of(task).open_blockers) reasons.push_back(explain_blocker(blocker, view));
  if (const auto role = explain_role(task, team)) reasons.push_back(*role);
  if (task.owner) {
    const std::string state = life == Life::dead      ? ", " + describe_end(*engine, owner)
                              : life == Life::running ? ", who is running"
                                                      : "";
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
