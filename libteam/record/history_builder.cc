#include "libteam/record/history_builder.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "libteam/base/own_json.h"
#include "libteam/record/json_fields.h"

namespace team {

namespace {

constexpr std::string_view kToolkit = "system";  // releases the tasks of dead owners and expired leases

std::optional<State> parse_state(std::string_view text) {
  for (const State state :
       {State::spawn, State::active, State::idle, State::plan_pending, State::paused, State::error, State::shutdown}) {
    if (name_of(state) == text) return state;
  }
  return std::nullopt;
}

std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// The owner before this event. If the event removed the owner, `owner` is null and the changes name it.
std::string owner_of(const Json& json) {
  std::string owner = text_of(json, "owner");
  if (!owner.empty()) return owner;
  const auto changes = json.find("changes");
  if (changes == json.end() || !changes->is_object()) return owner;
  const auto change = changes->find("owner");
  if (change == changes->end() || !change->is_array() || change->empty() || !change->front().is_string()) return owner;
  return change->front().get<std::string>();
}

}  // namespace

void HistoryBuilder::add(const Envelope& envelope) {
  now_ = has_begun_ ? std::max(now_, envelope.timestamp) : envelope.timestamp;
  if (!has_begun_) {
    has_begun_ = true;
    start_ = now_;
    starts_in_the_middle_ = envelope.seq > 1;
  }
  if (envelope.type == "MEMBER_STATE") add_state(envelope);
  else if (envelope.type.starts_with("TASK_")) add_task(envelope);
  else if (envelope.type == "MESSAGE_SENT") add_message(envelope);
  lives_[envelope.agent].last_sign = now_;
}

void HistoryBuilder::add_state(const Envelope& envelope) {
  const Json json = parse_own(envelope.details);
  const auto to = parse_state(text_of(json, "to"));
  if (!to) return;
  const auto from = parse_state(text_of(json, "from"));
  const bool is_known = lives_.count(envelope.agent) > 0;
  Life& life = lives_[envelope.agent];
  if (life.has_open_state) {
    // The member was restarted: the time of its last event is all that is known of the run before.
    life.states.back().to = *to == State::spawn ? life.last_sign : now_;
  } else if (!is_known && starts_in_the_middle_ && from && *from != State::shutdown && *to != State::spawn) {
    life.states.push_back({*from, start_, now_, ""});
  }
  life.has_open_state = *to != State::shutdown;
  if (life.has_open_state) life.states.push_back({*to, now_, now_, text_of(json, "reason")});
}

void HistoryBuilder::add_task(const Envelope& envelope) {
  const Json json = parse_own(envelope.details);
  const auto number = json.find("task_id");
  if (number == json.end() || !number->is_number_integer()) return;
  const auto id = number->get<TaskId>();
  const std::string owner = owner_of(json), subject = text_of(json, "subject");
  const std::string& type = envelope.type;
  const bool is_taken_from_the_lost = type == "TASK_RELEASED" && envelope.agent == kToolkit;
  if (type == "TASK_CREATED") {
    courses_[id] = {.pending = {{now_, std::nullopt}}, .created = now_, .ended = {}, .completed = {}};
    return;
  }
  if (type != "TASK_CLAIMED" && type != "TASK_COMPLETED" && type != "TASK_FAILED" && type != "TASK_RELEASED" &&
      type != "TASK_REOPENED" && type != "TASK_DELETED") {
    return;
  }
  Course& course = course_of(id);
  if (!course.pending.empty() && !course.pending.back().to) course.pending.back().to = now_;
  if (type == "TASK_CLAIMED") {
    give_up(id, WorkInterval::End::lost, "", subject, "taken again");
    take(id, owner, subject);
  } else if (type == "TASK_RELEASED" || type == "TASK_REOPENED") {
    give_up(id, is_taken_from_the_lost ? WorkInterval::End::lost : WorkInterval::End::released,
            type == "TASK_RELEASED" ? owner : "", subject, text_of(json, "reason"),
            is_taken_from_the_lost ? Until::last_sign : Until::now);
    course.pending.push_back({now_, std::nullopt});
    course.ended.reset();
    course.completed.reset();
  } else {
    const auto end = type == "TASK_COMPLETED" ? WorkInterval::End::completed
                     : type == "TASK_FAILED"  ? WorkInterval::End::failed
                                              : WorkInterval::End::lost;
    give_up(id, end, end == WorkInterval::End::lost ? "" : owner, subject,
            text_of(json, end == WorkInterval::End::completed ? "result" : "reason"));
    course.ended = now_;
    if (end == WorkInterval::End::completed) course.completed = now_;
  }
}

// A task or state that the log mentions without its start was there when the log began.
HistoryBuilder::Course& HistoryBuilder::course_of(TaskId id) {
  return courses_.try_emplace(id, Course{.pending = {}, .created = start_, .ended = {}, .completed = {}}).first->second;
}

void HistoryBuilder::take(TaskId id, const std::string& owner, const std::string& subject) {
  if (owner.empty()) return;
  std::vector<WorkInterval>& works = lives_[owner].works;
  held_[id] = {owner, works.size()};
  works.push_back({id, subject, now_, now_, WorkInterval::End::running, ""});
}

// `owner` serves for a claim that is not in the log.
void HistoryBuilder::give_up(TaskId id, WorkInterval::End end, const std::string& owner, const std::string& subject,
                             const std::string& reason, Until until) {
  const auto found = held_.find(id);
  if (found == held_.end()) {
    if (!starts_in_the_middle_ || owner.empty()) return;
    Life& life = lives_[owner];
    const double to = until == Until::now ? now_ : std::max(start_, life.last_sign);
    life.works.push_back({id, subject, start_, to, end, reason});
    return;
  }
  Life& life = lives_[found->second.owner];
  WorkInterval& work = life.works[found->second.work];
  // An owner worked until its task was taken away, unless it was found dead by then.
  if (until == Until::now) life.last_sign = now_;
  work.to = std::max(work.from, life.last_sign);
  work.end = end;
  work.reason = reason;
  held_.erase(found);
}

void HistoryBuilder::add_message(const Envelope& envelope) {
  const Json json = parse_own(envelope.details);
  messages_.push_back({now_, text_of(json, "sender"), text_of(json, "recipient"), text_of(json, "message_type"),
                       text_of(json, "summary")});
}

// Adds tasks that were there before the log began and have not changed since. An owner that is no member belongs to
// another team on the same board.
void HistoryBuilder::add_from_board(const TaskGraph& board, const std::vector<MemberNow>& members) {
  if (!has_begun_) return;
  std::set<std::string> names;
  for (const MemberNow& member : members) names.insert(member.name);
  for (const GraphNode& node : board.nodes()) {
    if (!is_on_board(node)) continue;
    const GraphTask& task = node.task;
    const bool is_ours = task.owner && names.count(*task.owner) > 0;
    if (task.status == Status::in_progress && is_ours && held_.count(task.id) == 0) {
      std::vector<WorkInterval>& works = lives_[*task.owner].works;
      held_[task.id] = {*task.owner, works.size()};
      works.push_back({task.id, task.subject, std::clamp(task.claimed_at.value_or(start_), start_, now_), now_,
                       WorkInterval::End::running, ""});
    }
    const double created = std::clamp(task.created_at, start_, now_);
    const auto [course, is_new] = courses_.try_emplace(task.id);
    if (!is_new) continue;
    course->second.created = created;
    if (task.status == Status::pending) course->second.pending = {{created, std::nullopt}};
    if (has_ended(task.status)) course->second.ended = start_;
    if (task.status == Status::completed) course->second.completed = start_;
  }
}

// Open intervals of living members last until the end; intervals of dead members end at their last event.
void HistoryBuilder::end_lives(const std::vector<MemberNow>& members, History& history) {
  std::vector<std::string> names;
  std::set<std::string> dead, living;
  for (const MemberNow& member : members) {
    names.push_back(member.name);
    if (member.lives) (*member.lives ? living : dead).insert(member.name);
  }
  for (const auto& [name, life] : lives_) {
    const bool has_past = !life.states.empty() || !life.works.empty();
    if (has_past && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    if (life.has_open_state && living.count(name) > 0) history.goes_on = true;
  }
  for (const auto& [id, holding] : held_) {
    history.goes_on = history.goes_on || dead.count(holding.owner) == 0;
    // The board may show a claim that came after the last event.
    history.end = std::max(history.end, lives_[holding.owner].works[holding.work].from);
  }
  if (history.goes_on) history.end = std::max(history.end, now_);
  for (const std::string& name : names) {
    Life& life = lives_[name];
    if (life.has_open_state) life.states.back().to = living.count(name) > 0 ? history.end : life.last_sign;
    for (WorkInterval& work : life.works) {
      if (work.end != WorkInterval::End::running) continue;
      const bool is_lost = dead.count(name) > 0;
      work.to = is_lost ? std::max(work.from, life.last_sign) : history.end;
      if (is_lost) work.end = WorkInterval::End::lost;
    }
    std::stable_sort(life.works.begin(), life.works.end(),
                     [](const WorkInterval& a, const WorkInterval& b) { return a.from < b.from; });
    history.members.push_back({.name = name, .states = std::move(life.states), .works = std::move(life.works)});
  }
}

// A task is ready when it is pending and all its blockers are completed.
Waits HistoryBuilder::waits_of(const TaskGraph& board, History& history) const {
  Waits waits;
  waits.open.reserve(board.nodes().size());
  waits.ready.reserve(board.nodes().size());
  for (const GraphNode& node : board.nodes()) {
    if (!is_on_board(node)) continue;
    const GraphTask& task = node.task;
    TaskHistory& past = history.tasks[task.id];
    const auto found = courses_.find(task.id);
    if (found == courses_.end()) continue;
    const Course& course = found->second;
    waits.open.push_back({course.created, course.ended.value_or(history.end)});
    double freed = start_;
    for (const TaskId blocker : task.blocked_by) {
      const auto other = courses_.find(blocker);
      const bool is_free = other != courses_.end() && other->second.completed;
      freed = std::max(freed, is_free ? *other->second.completed : history.end);
    }
    for (const Span& span : course.pending) {
      const Interval ready = {std::max(span.from, freed), span.to.value_or(history.end)};
      if (ready.to <= ready.from) continue;
      past.waited += ready.to - ready.from;
      waits.ready.push_back(ready);
    }
  }
  return waits;
}

History HistoryBuilder::close(const TaskGraph& board, const std::vector<MemberNow>& members, double now) && {
  History history;
  history.starts_in_the_middle = starts_in_the_middle_;
  history.messages = std::move(messages_);
  history.start = has_begun_ ? start_ : now;
  history.end = has_begun_ ? now_ : now;
  now_ = std::max(now_, now);
  add_from_board(board, members);
  end_lives(members, history);
  const Waits waits = waits_of(board, history);
  courses_.clear();  // for a large board this is a tenth of the memory
  sum_up(history, board, waits);
  return history;
}

}  // namespace team
