#include "libteam/record/history.h"

#include <algorithm>
#include <set>
#include <utility>

namespace team {

namespace {

bool is_wait(State state) { return state == State::plan_pending || state == State::paused || state == State::error; }

double overlap(const Interval& one, const Interval& other) {
  return std::max(0.0, std::min(one.to, other.to) - std::max(one.from, other.from));
}

// The same time without overlaps, in order.
std::vector<Interval> united(std::vector<Interval> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const Interval& a, const Interval& b) { return a.from < b.from; });
  std::vector<Interval> whole;
  for (const Interval& range : ranges) {
    if (!whole.empty() && range.from <= whole.back().to) whole.back().to = std::max(whole.back().to, range.to);
    else whole.push_back(range);
  }
  return whole;
}

void sum_up(MemberPast& member) {
  std::vector<Interval> held;
  for (const Stint& work : member.works) held.push_back({work.from, work.to});
  held = united(std::move(held));
  for (const Interval& range : held) member.worked += range.to - range.from;
  for (const Stay& stay : member.stays) {
    const double length = stay.to - stay.from;
    if (stay.state == State::idle) member.idle += length;
    if (stay.state == State::plan_pending) member.plan_pending += length;
    if (stay.state == State::paused) member.paused += length;
    if (stay.state == State::error) member.error += length;
    if (!is_wait(stay.state)) continue;
    for (const Interval& range : held) member.worked -= overlap(range, {stay.from, stay.to});
  }
}

// Which task stands before which, found blockers first. In a cycle, which only an edit by hand can make, the one with
// the smallest id starts.
void find_critical_path(const std::vector<Task>& board, History& history) {
  struct Chain {
    double time = 0;
    std::optional<TaskId> before;
  };
  std::map<TaskId, const Task*> tasks;
  std::map<TaskId, std::size_t> missing;
  std::map<TaskId, std::vector<TaskId>> dependents;
  for (const Task& task : board) tasks[task.id] = &task;
  std::set<TaskId> free, waiting;
  for (const Task& task : board) {
    for (const TaskId blocker : std::set<TaskId>(task.blocked_by.begin(), task.blocked_by.end())) {
      if (blocker == task.id || tasks.count(blocker) == 0) continue;
      ++missing[task.id];
      dependents[blocker].push_back(task.id);
    }
    (missing.count(task.id) == 0 ? free : waiting).insert(task.id);
  }
  std::map<TaskId, Chain> chains;
  std::optional<TaskId> last;
  while (!free.empty() || !waiting.empty()) {
    std::set<TaskId>& source = free.empty() ? waiting : free;
    const TaskId id = source.extract(source.begin()).value();
    Chain chain;
    for (const TaskId blocker : tasks[id]->blocked_by) {
      const auto found = chains.find(blocker);
      if (found == chains.end() || (chain.before && found->second.time <= chain.time)) continue;
      chain = {found->second.time, blocker};
    }
    chain.time += history.tasks[id].worked;
    if (chain.time > (last ? chains[*last].time : 0)) last = id;
    chains[id] = chain;
    for (const TaskId dependent : dependents[id]) {
      if (--missing[dependent] == 0 && waiting.erase(dependent) > 0) free.insert(dependent);
    }
  }
  if (last) history.critical_time = chains[*last].time;
  // What nobody worked on at the start of the chain is no part of the work.
  for (; last && chains[*last].time > 0; last = chains[*last].before) history.critical_path.push_back(*last);
  std::reverse(history.critical_path.begin(), history.critical_path.end());
}

// Counts what begins and ends into what there is between.
class Tally {
 public:
  void count(std::size_t BoardMoment::*what, const Interval& interval) {
    if (interval.to <= interval.from) return;
    steps_[interval.from].push_back({what, true});
    steps_[interval.to].push_back({what, false});
  }

  std::vector<BoardMoment> moments() const {
    std::vector<BoardMoment> moments;
    BoardMoment now;
    for (const auto& [at, steps] : steps_) {
      now.at = at;
      for (const auto& [what, begins] : steps) begins ? ++(now.*what) : --(now.*what);
      moments.push_back(now);
    }
    return moments;
  }

 private:
  std::map<double, std::vector<std::pair<std::size_t BoardMoment::*, bool>>> steps_;
};

// Of idle members while there was work and none of it could be taken.
double time_blocked(const History& history) {
  std::vector<Interval> blocked;
  for (std::size_t i = 0; i + 1 < history.moments.size(); ++i) {
    const BoardMoment& moment = history.moments[i];
    if (moment.open > 0 && moment.ready == 0) blocked.push_back({moment.at, history.moments[i + 1].at});
  }
  blocked = united(std::move(blocked));
  double time = 0;
  for (const MemberPast& member : history.members) {
    auto next = blocked.begin();
    for (const Stay& stay : member.stays) {
      if (stay.state != State::idle) continue;
      while (next != blocked.end() && next->to <= stay.from) ++next;
      for (auto range = next; range != blocked.end() && range->from < stay.to; ++range) {
        time += overlap(*range, {stay.from, stay.to});
      }
    }
  }
  return time;
}

}  // namespace

std::string_view name_of(Stint::End end) {
  switch (end) {
    case Stint::End::completed: return "completed";
    case Stint::End::failed: return "failed";
    case Stint::End::released: return "released";
    case Stint::End::lost: return "lost";
    case Stint::End::running: return "running";
  }
  return "lost";
}

double History::worked() const {
  double sum = 0;
  for (const MemberPast& member : members) sum += member.worked;
  return sum;
}

double History::untaken() const {
  double sum = 0;
  for (const auto& [id, task] : tasks) sum += task.waited;
  return sum;
}

void sum_up(History& history, const std::vector<Task>& board, const Waits& waits) {
  Tally tally;
  for (const Interval& open : waits.open) tally.count(&BoardMoment::open, open);
  for (const Interval& ready : waits.ready) tally.count(&BoardMoment::ready, ready);
  for (MemberPast& member : history.members) {
    sum_up(member);
    for (const Stint& work : member.works) {
      tally.count(&BoardMoment::working, {work.from, work.to});
      const auto task = history.tasks.find(work.task);
      if (task != history.tasks.end()) task->second.worked += work.to - work.from;
    }
  }
  history.moments = tally.moments();
  history.idle_blocked = time_blocked(history);
  find_critical_path(board, history);
}

}  // namespace team
