#include "libteam/store/waiting.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "libteam/base/terminal_text.h"
#include "libteam/record/prospects.h"
#include "libteam/store/files/task_files.h"
#include "libteam/store/files/file_lives.h"
#include "libteam/store/presence.h"
#include "libteam/store/status.h"
#include "libteam/system/lock.h"
#include "libteam/system/lock_holder.h"

namespace team {

namespace {

constexpr double kDoubt = 0.3;    // seconds that files may be missing while somebody replaces them
constexpr double kSettle = 1;     // the same, for a folder that came back
constexpr double kAbsence = 5;    // that a folder may be missing
constexpr double kRemoval = 0.1;  // between the removals of two files
constexpr double kLook = 0.2;     // between two looks at a missing folder
constexpr double kRetry = 1;      // after a reclaim that the system refused
constexpr double kDying = 1;      // that the end of an owner may take
constexpr double kStarting = 15;  // that a new member may take to start
constexpr useconds_t kMoment = 2000;

constexpr std::string_view kAliveSuffix = ".alive";

// The process has told that it ends, and the kernel frees its lock right after that.
void await_release(const Board& board, const std::string& member) {
  const Deadline limit = Deadline::in(0.05);
  while (board.life_of(member) == Life::running && !limit.passed()) ::usleep(kMoment);
}

[[noreturn]] void fail_as_removed(const Board& board) {
  fail(Code::not_found, "the board '{}' was removed", board.folder().path());
}

// One that ran and does not run any more. Before its first state is written it is about to start.
bool is_gone(const Board& board, const std::string& member) {
  return board.life_of(member) == Life::dead && board.team_folder()->has(member + ".json");
}

}  // namespace

Waiter::Waiter(Board& board, Scope scope, const WaitRules& rules) : board_(board), scope_(scope), rules_(rules) {
  watch();
}

void Waiter::watch() {
  watch_.clear();
  owners_.clear();
  watch_.add(board_.folder());
  const auto& team = board_.team_folder();
  if (!team) return;
  if (scope_ == Scope::board_and_team) watch_.add(*team);
  else if (team->has(kTeamConfig)) watch_.add(*team, kTeamConfig, Watch::Kind::written);
}

// False if one of them has died before the watch began.
bool Waiter::watch_owners(const std::vector<std::string>& owners) {
  if (scope_ == Scope::board_and_team) return true;
  std::vector<std::string> added;
  for (const std::string& owner : owners) {
    if (!owners_.insert(owner).second) continue;
    watch_.add(*board_.team_folder(), alive_file(owner), Watch::Kind::written);
    added.push_back(owner);
  }
  return !has_died(added);
}

bool Waiter::has_died(const std::vector<std::string>& owners) const {
  return std::any_of(owners.begin(), owners.end(),
                     [&](const std::string& owner) { return board_.life_of(owner) != Life::running; });
}

bool Waiter::wait(const Lapses& lapses) {
  has_lapsed_ = has_moved_ = false;
  changes_ = {};
  if (!watch_owners(lapses.holders)) {
    has_lapsed_ = true;
    return true;
  }
  // One that is over already could not be reclaimed.
  const bool is_overdue = lapses.lease_end != 0 && lapses.lease_end <= boot_ns();
  if (is_overdue && !retry_) retry_ = Deadline::in(kRetry);
  watch_.wake_at(is_overdue ? 0 : lapses.lease_end);
  Deadline end = rules_.deadline;
  if (doubt_) end = end.or_at(*doubt_);
  if (retry_) end = end.or_at(*retry_);
  changes_ = watch_.wait(end);
  if (!changes_.any && rules_.deadline.passed()) return false;
  has_woken_ = has_woken_ || changes_.any;
  // Somebody may be removing the whole folder: a lock file made meanwhile would keep it from going.
  const auto is_task = [](const std::string& name) { return TaskFiles::id_of(name).has_value(); };
  const bool is_shrinking = changes_.removed && std::any_of(changes_.names.begin(), changes_.names.end(), is_task);
  if (is_shrinking) await_removal();
  has_lapsed_ = lapses.lease_end != 0 && lapses.lease_end <= boot_ns();
  if (retry_ && retry_->passed()) {
    retry_.reset();
    has_lapsed_ = true;
  }
  bool may_have_died = changes_.all;
  bool has_new_team = changes_.all || is_shrinking;
  for (const std::string& name : changes_.names) {
    has_new_team = has_new_team || name == kTeamConfig;
    if (!name.ends_with(kAliveSuffix)) continue;
    may_have_died = true;
    await_release(board_, name.substr(0, name.size() - kAliveSuffix.size()));
  }
  if (may_have_died && has_died(lapses.holders)) has_lapsed_ = true;
  if (has_new_team) reopen();
  return true;
}

void Waiter::await_removal() {
  const Deadline limit = Deadline::in(kAbsence);
  while (!limit.passed() && watch_.wait(Deadline::in(kRemoval)).removed) continue;
  changes_.all = true;  // what changed meanwhile
}

void Waiter::find_folders() {
  const auto board = board_.reopen();
  const auto team = board_.reopen_team();
  const auto missing = Board::Place::missing;
  is_missing_ = board == missing || (team == missing && scope_ == Scope::board_and_team);
  has_moved_ = has_moved_ || is_missing_ || board != Board::Place::same || team == Board::Place::another;
}

void Waiter::reopen() {
  find_folders();
  const Deadline absence = rules_.keep_waiting ? rules_.deadline : rules_.deadline.or_in(kAbsence);
  while (is_missing_ && !absence.passed()) {
    Watch().wait(absence.or_in(kLook));
    find_folders();
  }
  watch();
  if (is_missing_) doubt_ = Deadline::in(0);
  else if (has_moved_) doubt_ = Deadline::in(kSettle);
}

bool Waiter::is_certain() {
  if (!has_woken_) return true;
  if (!doubt_) doubt_ = Deadline::in(kDoubt);
  return doubt_->passed();
}

void Waiter::reclaim() {
  try {
    board_.reclaim();
  } catch (const Error&) {
    look_in(kRetry);  // a store that we may only read, or a lock that is not free
  }
}

namespace {

// Why tasks do not move, in the words of task-why(1).
class Explanation {
 public:
  Explanation(const Board& board, const Roster& roster, const Team* team)
      : board_(board), roster_(roster), team_(team) {}

  // What holds the task back, and, if that is a task that waits itself, what the chain of blockers ends at.
  std::string of(TaskId id) {
    const auto own = reasons_of(id);
    const auto end = find_end(id);
    const std::string end_text = end ? fmt::format("task {}: {}", end->first, end->second) : "";
    if (end && end->first == id) return end_text;
    const std::string text = own.empty() ? "" : fmt::format("task {}: {}", id, own.front().text);
    return end ? text + "; " + end_text : text;
  }

 private:
  std::vector<Reason> reasons_of(TaskId id) const {
    try {
      return explain(board_.view().get(id), roster_, team_, board_.view());
    } catch (const Error& error) {
      if (error.code() != Code::not_found && error.code() != Code::corrupt) throw;
      return {};
    }
  }

  // The first task on the way, depth first, that is held back by something which does not move by itself.
  std::optional<std::pair<TaskId, std::string>> find_end(TaskId id) {
    std::vector<TaskId> due = {id};
    while (!due.empty()) {
      const TaskId at = due.back();
      due.pop_back();
      if (!seen_.insert(at).second) continue;
      for (const Reason& reason : reasons_of(at)) {
        const bool is_final = reason.kind == "failed" || reason.kind == "missing" || reason.kind == "broken";
        if (is_final || (reason.kind == "assigned" && is_lost(at))) return std::pair(at, reason.text);
        if (reason.kind == "blocked") due.push_back(reason.task);
      }
    }
    return std::nullopt;
  }

  bool is_lost(TaskId id) const {
    const auto task = board_.view().find(id);
    return task && task->owner && is_gone(board_, *task->owner);
  }

  const Board& board_;
  const Roster& roster_;
  const Team* team_;
  std::set<TaskId> seen_;
};

}  // namespace

std::optional<Changed> claim_next_or_settle(Board& board, const Actor& actor) {
  auto claimed = board.claim_next(actor);
  if (claimed) return claimed;
  const Deadline limit = Deadline::in(kDying);
  bool has_waited = false;
  const auto holders = board.lapses().holders;
  for (const std::string& holder : holders) {
    while (!limit.passed() && is_about_to_be_free(*board.team_folder(), alive_file(holder))) {
      has_waited = true;
      ::usleep(kMoment);
    }
    has_waited = has_waited || board.life_of(holder) != Life::running;
  }
  return has_waited ? board.claim_next(actor) : std::nullopt;
}

ClaimEnd wait_next(Board& board, const Roster& roster, const Team* team, const Actor& actor, const WaitRules& rules) {
  Waiter waiter(board, Waiter::Scope::board, rules);  // before the first look: what becomes ready after it wakes us
  while (true) {
    if (waiter.is_missing()) fail_as_removed(board);
    try {
      if (auto claimed = board.claim_next(actor)) return {std::move(claimed), {}};
      const Outlook outlook = board.outlook_for(actor);
      if (!outlook.is_over || rules.keep_waiting) {
        waiter.hope();
      } else if (waiter.is_certain()) {
        const std::string why = outlook.stuck ? Explanation(board, roster, team).of(*outlook.stuck) : "";
        return {std::nullopt, {WaitEnd::Kind::hopeless, why}};
      }
    } catch (const Error& error) {
      // The folder that we have open may be one that was removed.
      if (error.code() != Code::io || board.folder().is_in_place()) throw;
    }
    if (!waiter.wait(board.lapses())) return {std::nullopt, {WaitEnd::Kind::too_late}};
  }
}

namespace {

// Waits for tasks. Knows them and everything that they wait for, and reads again only what has changed.
class TaskWait {
 public:
  enum class Missing { refused, passed_over };
  TaskWait(Board& board, const Roster& roster, const Team* team, const WaitRules& rules, const TaskVisits& visits,
           Missing missing)
      : board_(board),
        roster_(roster),
        team_(team),
        rules_(rules),
        visits_(visits),
        missing_(missing),
        waiter_(board, Waiter::Scope::board, rules) {}

  WaitEnd run(const std::vector<TaskId>& ids) {
    open_.insert(ids.begin(), ids.end());
    std::set<TaskId> due = open_;
    while (true) {
      for (const TaskId id : due) learn(id);
      due.clear();
      visit_ended();
      if (auto end = judge()) return std::move(*end);
      const Lapses lapses = find_lapses();
      if (has_lost_) waiter_.reclaim();
      if (!waiter_.wait(lapses)) return {WaitEnd::Kind::too_late};
      if (waiter_.has_lapsed()) waiter_.reclaim();
      if (waiter_.changes().all || waiter_.has_moved()) {
        for (const auto& [id, known] : known_) due.insert(id);
      }
      for (const std::string& name : waiter_.changes().names) {
        const auto id = TaskFiles::id_of(name);
        if (id && known_.contains(*id)) due.insert(*id);
      }
    }
  }

 private:
  struct Known {
    bool is_there = false;  // false: missing or broken
    Status status = Status::pending;
    std::optional<std::string> owner;
    std::optional<Lease> lease;
    std::vector<TaskId> blockers;
  };

  // Reads the task, and those that it waits for if they are not known yet.
  void learn(TaskId id) {
    std::vector<TaskId> due = {id};
    while (!due.empty()) {
      const TaskId next = due.back();
      due.pop_back();
      const Known known = read(next);
      const auto before = known_.find(next);
      const bool is_news = before == known_.end() || before->second.status != known.status ||
                           before->second.is_there != known.is_there || before->second.owner != known.owner ||
                           before->second.blockers != known.blockers;
      is_judged_ = is_judged_ && !is_news;
      for (const TaskId blocker : known.blockers) {
        if (!has_ended(known.status) && !known_.contains(blocker)) due.push_back(blocker);
      }
      if (known.is_there && known.status == Status::in_progress) running_.insert(next);
      else running_.erase(next);
      known_[next] = known;
    }
  }

  Known read(TaskId id) {
    const bool is_awaited = open_.contains(id);
    broken_.erase(id);
    try {
      auto task = board_.view().find(id);
      if (!task) return {};
      if (is_awaited && has_ended(task->status)) ended_.push_back(*task);
      return {true, task->status, std::move(task->owner), std::move(task->lease), std::move(task->blocked_by)};
    } catch (const Error& error) {
      if (error.code() != Code::corrupt) throw;
      // Perhaps only for a moment: git and editors write files in place.
      if (is_awaited) broken_.emplace(id, error);
      return {};
    }
  }

  void report_broken() {
    if (broken_.empty() || !waiter_.is_certain()) return;
    if (missing_ == Missing::refused) throw Error(broken_.begin()->second);
    for (const auto& [id, error] : std::exchange(broken_, {})) {
      if (open_.erase(id) > 0) visits_.broken(id, error);
    }
  }

  void visit_ended() {
    std::sort(ended_.begin(), ended_.end(), [](const Task& a, const Task& b) { return a.id < b.id; });
    for (const Task& task : std::exchange(ended_, {})) {
      if (open_.erase(task.id) > 0) visits_.ended(task);
    }
  }

  // How the wait ends; none while it goes on.
  std::optional<WaitEnd> judge() {
    report_broken();
    if (open_.empty()) return WaitEnd{};
    std::vector<TaskId> missing;
    for (const TaskId id : open_) {
      if (!known_.at(id).is_there) missing.push_back(id);
    }
    if (!missing.empty() && missing_ == Missing::refused) {
      if (waiter_.is_certain()) fail(Code::not_found, "no task {}", missing.front());
      return std::nullopt;
    }
    if (missing.size() == open_.size()) {
      if (!waiter_.is_certain()) return std::nullopt;
      if (waiter_.is_missing()) fail_as_removed(board_);
      return WaitEnd{};
    }
    if (rules_.keep_waiting || is_hopeful()) {
      if (broken_.empty()) waiter_.hope();
      return std::nullopt;
    }
    if (!waiter_.is_certain()) return std::nullopt;
    const auto stuck = std::find_if(open_.begin(), open_.end(), [&](TaskId id) { return known_.at(id).is_there; });
    return WaitEnd{WaitEnd::Kind::hopeless, Explanation(board_, roster_, team_).of(*stuck)};
  }

  // Whether one of the open tasks can still end.
  bool is_hopeful() {
    if (is_judged_) return is_hopeful_;
    std::map<TaskId, OpenTask> open;
    std::map<std::string, bool> gone;
    for (const auto& [id, known] : known_) {
      if (!known.is_there || has_ended(known.status)) continue;
      OpenTask& task = open[id];
      task.status = known.status;
      for (const TaskId blocker : known.blockers) {
        const auto other = known_.find(blocker);
        if (other == known_.end() || !other->second.is_there || other->second.status != Status::completed) {
          task.blockers.push_back(blocker);
        }
      }
      if (known.status != Status::pending || !known.owner) continue;
      const auto found = gone.find(*known.owner);
      task.is_stranded = found != gone.end() ? found->second : (gone[*known.owner] = is_gone(board_, *known.owner));
    }
    const auto able = able_to_end(open);
    is_hopeful_ = std::any_of(open_.begin(), open_.end(), [&](TaskId id) { return able.contains(id); });
    is_judged_ = true;
    return is_hopeful_;
  }

  Lapses find_lapses() {
    Lapses lapses;
    has_lost_ = false;
    std::map<std::string, Life> lives;
    for (const TaskId id : running_) {
      const Known& known = known_.at(id);
      if (!known.owner) continue;
      const auto found = lives.find(*known.owner);
      const Life life = found != lives.end() ? found->second : (lives[*known.owner] = board_.life_of(*known.owner));
      if (life == Life::running) {
        if (found == lives.end()) lapses.holders.push_back(*known.owner);
        continue;
      }
      if (life == Life::dead) has_lost_ = true;
      if (life == Life::dead || !known.lease) continue;
      const bool is_of_this_boot = known.lease->boot.empty() || known.lease->boot == boot_id();
      const auto end = is_of_this_boot ? static_cast<std::int64_t>(known.lease->until * 1e9) : 1;
      if (end <= boot_ns()) has_lost_ = true;
      if (lapses.lease_end == 0 || end < lapses.lease_end) lapses.lease_end = end;
    }
    return lapses;
  }

  Board& board_;
  const Roster& roster_;
  const Team* team_;
  const WaitRules& rules_;
  const TaskVisits& visits_;
  Missing missing_;
  Waiter waiter_;
  std::set<TaskId> open_;                    // awaited and not ended
  std::unordered_map<TaskId, Known> known_;  // these and what they wait for
  std::set<TaskId> running_;
  std::map<TaskId, Error> broken_;  // awaited tasks whose files could not be read
  std::vector<Task> ended_;
  bool is_judged_ = false;
  bool is_hopeful_ = true;
  bool has_lost_ = false;
};

}  // namespace

WaitEnd wait_ended(Board& board, const Roster& roster, const Team* team, const std::vector<TaskId>& ids,
                   const WaitRules& rules, const TaskVisits& visits) {
  return TaskWait(board, roster, team, rules, visits, TaskWait::Missing::refused).run(ids);
}

WaitEnd wait_all_ended(Board& board, const Roster& roster, const Team* team, const WaitRules& rules,
                       const TaskVisits& visits) {
  TaskWait wait(board, roster, team, rules, visits, TaskWait::Missing::passed_over);
  return wait.run(board.view().ids());
}

namespace {

// Looks until `is_done`, which gives none while the wait goes on.
template <class Look>
WaitEnd wait_for_team(Board& board, const WaitRules& rules, Look look) {
  Waiter waiter(board, Waiter::Scope::board_and_team, rules);
  while (true) {
    std::optional<Error> missing;
    std::optional<std::string> hopeless;
    try {
      if (look(waiter, hopeless)) return {};
    } catch (const Error& error) {
      // A store that is removed and made again is not there for a moment.
      if (error.code() != Code::not_found && (error.code() != Code::io || board.folder().is_in_place())) throw;
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

std::string describe_end(const Folder& folder, const std::string& member) {
  const auto state = state_of(folder, member);
  if (!state) return fmt::format("{} is not running", member);
  const bool orderly = state->state == State::shutdown || state->state == State::error;
  return orderly ? fmt::format("{} is not running: {}: {}", member, name_of(state->state), one_line(state->reason))
                 : fmt::format("{} is not running: it died", member);
}

}  // namespace

WaitEnd wait_idle(Board& board, const Roster& roster, const std::string& team, const std::string& member,
                  const WaitRules& rules) {
  return wait_for_team(board, rules, [&](Waiter&, std::optional<std::string>& hopeless) {
    const Team now = roster.get(team);
    if (now.find(member) == nullptr) {
      hopeless = fmt::format("{} is no longer in team {}", member, team);
    } else if (is_member_idle(*open_lives(roster, team), member)) {
      return true;
    } else if (is_gone(board, member)) {
      hopeless = describe_end(roster.folder_of(team), member);
    }
    return false;
  });
}

WaitEnd wait_all_idle(Board& board, const Roster& roster, const std::string& team, const WaitRules& rules) {
  return wait_for_team(board, rules, [&](Waiter& waiter, std::optional<std::string>& hopeless) {
    const Team now = roster.get(team);  // others may have joined
    if (is_all_idle(*open_lives(roster, team), now, board)) return true;
    // A task of somebody who is gone may be all that is left.
    if (is_everybody_idle(*open_lives(roster, team), now)) waiter.reclaim();
    bool any_gone = false;
    for (const Member& member : now.members) {
      if (member.name == now.lead) continue;
      const Life life = board.life_of(member.name);
      if (life == Life::running) return false;
      const bool gone = is_gone(board, member.name);
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
