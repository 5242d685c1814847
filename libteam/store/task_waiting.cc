#include "libteam/store/task_waiting.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "libteam/record/prospects.h"
#include "libteam/store/explanation.h"
#include "libteam/store/presence.h"

namespace team {

namespace {

constexpr double kDying = 1;  // seconds that the end of an owner may take
constexpr useconds_t kMoment = 2000;

}  // namespace

std::optional<Changed> claim_next_or_settle(Board& board, const Actor& actor) {
  auto claimed = board.claim_next(actor);
  if (claimed) return claimed;
  const Deadline limit = Deadline::in(kDying);
  bool has_waited = false;
  const auto holders = board.lapses().holders;
  const auto lives = board.lives();
  for (const std::string& holder : holders) {
    while (!limit.passed() && lives->is_ending(holder)) {
      has_waited = true;
      ::usleep(kMoment);
    }
    has_waited = has_waited || board.life_of(holder) != Life::running;
  }
  return has_waited ? board.claim_next(actor) : std::nullopt;
}

ClaimEnd wait_next(Board& board, const Engine& engine, const Team* team, const Actor& actor, const WaitRules& rules) {
  Waiter waiter(engine, board, Waiter::Scope::board,
                rules);  // before the first look: what becomes ready after it wakes us
  while (true) {
    if (waiter.is_missing()) fail_as_removed(board);
    try {
      if (auto claimed = board.claim_next(actor)) return {std::move(claimed), {}};
      const Outlook outlook = board.outlook_for(actor);
      if (!outlook.is_over || rules.keep_waiting) {
        waiter.hope();
      } else if (waiter.is_certain()) {
        const std::string why = outlook.stuck ? explain_chain(board, engine, team, *outlook.stuck) : "";
        return {std::nullopt, {WaitEnd::Kind::hopeless, why}};
      }
    } catch (const Error& error) {
      // The folder that we have open may be one that was removed.
      if (error.code() != Code::io || board.is_in_place()) throw;
    }
    if (!waiter.wait(board.lapses())) return {std::nullopt, {WaitEnd::Kind::too_late}};
  }
}

namespace {

// Waits for tasks. Knows them and everything that they wait for, and reads again only what has changed.
class TaskWait {
 public:
  enum class Missing { refused, passed_over };
  TaskWait(Board& board, const Engine& engine, const Team* team, const WaitRules& rules, const TaskVisits& visits,
           Missing missing)
      : board_(board),
        engine_(engine),
        team_(team),
        rules_(rules),
        visits_(visits),
        missing_(missing),
        waiter_(engine, board, Waiter::Scope::board, rules) {}

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
      if (waiter_.changes().everything || waiter_.has_moved()) {
        for (const auto& [id, known] : known_) due.insert(id);
      }
      for (const TaskId id : waiter_.changes().tasks) {
        if (known_.contains(id)) due.insert(id);
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
    return WaitEnd{WaitEnd::Kind::hopeless, explain_chain(board_, engine_, team_, *stuck)};
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
      task.is_stranded = found != gone.end() ? found->second : (gone[*known.owner] = has_died(board_, *known.owner));
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
  const Engine& engine_;
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

WaitEnd wait_ended(Board& board, const Engine& engine, const Team* team, const std::vector<TaskId>& ids,
                   const WaitRules& rules, const TaskVisits& visits) {
  return TaskWait(board, engine, team, rules, visits, TaskWait::Missing::refused).run(ids);
}

WaitEnd wait_all_ended(Board& board, const Engine& engine, const Team* team, const WaitRules& rules,
                       const TaskVisits& visits) {
  TaskWait wait(board, engine, team, rules, visits, TaskWait::Missing::passed_over);
  return wait.run(board.view().ids());
}

}  // namespace team
