#include "libteam/record/history.h"

#include <algorithm>
#include <deque>
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

void sum_up(MemberHistory& member) {
  std::vector<Interval> held;
  for (const WorkInterval& work : member.works) held.push_back({work.from, work.to});
  held = united(std::move(held));
  for (const Interval& range : held) member.worked += range.to - range.from;
  for (const StateInterval& interval : member.states) {
    const double length = interval.to - interval.from;
    if (interval.state == State::idle) member.idle += length;
    if (interval.state == State::plan_pending) member.plan_pending += length;
    if (interval.state == State::paused) member.paused += length;
    if (interval.state == State::error) member.error += length;
    if (!is_wait(interval.state)) continue;
    for (const Interval& range : held) member.worked -= overlap(range, {interval.from, interval.to});
  }
}

// A topological order, blockers first. A cycle, which only an edit by hand can make, starts with its smallest id.
void find_critical_path(const TaskGraph& board, History& history) {
  struct Chain {
    double time = 0;
    std::optional<std::size_t> before;
    bool is_known = false;
  };
  const GraphNodes& nodes = board.nodes();
  std::vector<std::size_t> missing(nodes.size());
  std::set<std::size_t> free, waiting;
  for (std::size_t place = 0; place < nodes.size(); ++place) {
    if (!is_on_board(nodes[place])) continue;
    for (const std::size_t blocker : nodes[place].blockers) {
      if (blocker != place && is_on_board(nodes[blocker])) ++missing[place];
    }
    (missing[place] == 0 ? free : waiting).insert(place);
  }
  std::vector<Chain> chains(nodes.size());
  std::optional<std::size_t> last;
  while (!free.empty() || !waiting.empty()) {
    std::set<std::size_t>& source = free.empty() ? waiting : free;
    const std::size_t place = source.extract(source.begin()).value();
    Chain chain{.time = 0, .before = {}, .is_known = true};
    for (const std::size_t blocker : nodes[place].blockers) {
      const Chain& other = chains[blocker];
      if (!other.is_known || (chain.before && other.time <= chain.time)) continue;
      chain.time = other.time;
      chain.before = blocker;
    }
    chain.time += history.tasks[nodes[place].task.id].worked;
    if (chain.time > (last ? chains[*last].time : 0)) last = place;
    chains[place] = chain;
    for (const std::size_t dependent : nodes[place].dependents) {
      if (dependent == place) continue;
      if (--missing[dependent] == 0 && waiting.erase(dependent) > 0) free.insert(dependent);
    }
  }
  if (last) history.critical_time = chains[*last].time;
  // Tasks without work at the start of the chain are left out.
  for (; last && chains[*last].time > 0; last = chains[*last].before) {
    history.critical_path.push_back(nodes[*last].task.id);
  }
  std::reverse(history.critical_path.begin(), history.critical_path.end());
}

// Turns starts and ends of intervals into counts for the time between them.
class Tally {
 public:
  void count(std::size_t BoardMoment::*what, const Interval& interval) {
    if (interval.to <= interval.from) return;
    steps_.push_back({interval.from, what, true});
    steps_.push_back({interval.to, what, false});
  }

  std::vector<BoardMoment> moments() && {
    std::sort(steps_.begin(), steps_.end(), [](const Step& a, const Step& b) { return a.at < b.at; });
    std::vector<BoardMoment> moments;
    for (const Step& step : steps_) {
      if (moments.empty()) moments.push_back({.at = step.at});
      if (moments.back().at != step.at) moments.push_back(moments.back());
      moments.back().at = step.at;
      step.begins ? ++(moments.back().*step.what) : --(moments.back().*step.what);
    }
    return moments;
  }

 private:
  struct Step {
    double at = 0;
    std::size_t BoardMoment::*what = nullptr;
    bool begins = false;
  };

  std::deque<Step> steps_;
};

std::vector<BoardMoment> moments_of(const History& history, const Waits& waits) {
  Tally tally;
  for (const Interval& open : waits.open) tally.count(&BoardMoment::open, open);
  for (const Interval& ready : waits.ready) tally.count(&BoardMoment::ready, ready);
  for (const MemberHistory& member : history.members) {
    for (const WorkInterval& work : member.works) tally.count(&BoardMoment::working, {work.from, work.to});
  }
  return std::move(tally).moments();
}

// The time of idle members while tasks were open and none was ready.
double time_blocked(const History& history) {
  std::vector<Interval> blocked;
  for (std::size_t i = 0; i + 1 < history.moments.size(); ++i) {
    const BoardMoment& moment = history.moments[i];
    if (moment.open > 0 && moment.ready == 0) blocked.push_back({moment.at, history.moments[i + 1].at});
  }
  blocked = united(std::move(blocked));
  double time = 0;
  for (const MemberHistory& member : history.members) {
    auto next = blocked.begin();
    for (const StateInterval& interval : member.states) {
      if (interval.state != State::idle) continue;
      while (next != blocked.end() && next->to <= interval.from) ++next;
      for (auto range = next; range != blocked.end() && range->from < interval.to; ++range) {
        time += overlap(*range, {interval.from, interval.to});
      }
    }
  }
  return time;
}

}  // namespace

std::string_view name_of(WorkInterval::End end) {
  switch (end) {
    case WorkInterval::End::completed: return "completed";
    case WorkInterval::End::failed: return "failed";
    case WorkInterval::End::released: return "released";
    case WorkInterval::End::lost: return "lost";
    case WorkInterval::End::running: return "running";
  }
  return "lost";
}

double History::worked() const {
  double sum = 0;
  for (const MemberHistory& member : members) sum += member.worked;
  return sum;
}

double History::untaken() const {
  double sum = 0;
  for (const auto& [id, task] : tasks) sum += task.waited;
  return sum;
}

void sum_up(History& history, const TaskGraph& board, const Waits& waits) {
  for (MemberHistory& member : history.members) {
    sum_up(member);
    for (const WorkInterval& work : member.works) {
      const auto task = history.tasks.find(work.task);
      if (task != history.tasks.end()) task->second.worked += work.to - work.from;
    }
  }
  history.moments = moments_of(history, waits);
  history.idle_blocked = time_blocked(history);
  find_critical_path(board, history);
}

}  // namespace team
