// The history of a team from its events: intervals, their ends, waits, the critical path.
#include "libteam/record/history.h"

#include <cmath>

#include "libteam/record/history_builder.h"
#include "tests/unit/check.h"

using namespace team;

namespace {

// Builds events as they are in a log.
class Log {
 public:
  explicit Log(std::int64_t first = 1) : seq_(first) {}

  Log& event(double at, const std::string& agent, const std::string& type, const std::string& details) {
    chronicle_.add({seq_++, at, agent, type, details, "", std::nullopt, std::nullopt});
    return *this;
  }
  Log& state(double at, const std::string& agent, const std::string& from, const std::string& to) {
    return event(at, agent, "MEMBER_STATE",
                 fmt::format(R"({{"from":{},"to":"{}","reason":"why","task":null}})",
                             from.empty() ? "null" : '"' + from + '"', to));
  }
  Log& task(double at, const std::string& agent, const std::string& what, TaskId id, const std::string& owner) {
    return event(at, agent, "TASK_" + what,
                 fmt::format(R"({{"task_id":{},"subject":"task {}","owner":{},"reason":"why"}})", id, id,
                             owner.empty() ? "null" : '"' + owner + '"'));
  }
  Log& released(double at, const std::string& agent, TaskId id, const std::string& owner) {
    return event(
        at, agent, "TASK_RELEASED",
        fmt::format(R"({{"task_id":{},"subject":"x","owner":null,"changes":{{"owner":["{}",null]}}}})", id, owner));
  }
  History close(std::vector<GraphTask> board, const std::vector<MemberNow>& members, double now) {
    return std::move(chronicle_).close(TaskGraph(std::move(board)), members, now);
  }

 private:
  std::int64_t seq_;
  HistoryBuilder chronicle_;
};

GraphTask task(TaskId id, Status status, std::vector<TaskId> blocked_by = {}, const std::string& owner = "") {
  GraphTask task;
  task.id = id;
  task.subject = fmt::format("task {}", id);
  task.status = status;
  task.blocked_by = std::move(blocked_by);
  if (!owner.empty()) task.owner = owner;
  return task;
}

bool near(double one, double other) { return std::abs(one - other) < 1e-9; }

bool spans(const WorkInterval& stint, double from, double to, WorkInterval::End end) {
  return near(stint.from, from) && near(stint.to, to) && stint.end == end;
}

bool spans(const StateInterval& interval, double from, double to, State state) {
  return near(interval.from, from) && near(interval.to, to) && interval.state == state;
}

void nothing_has_happened() {
  const History history = Log().close({task(1, Status::pending)}, {{"lead", std::nullopt}}, 50);
  CHECK(near(history.start, 50) && near(history.end, 50) && !history.goes_on);
  CHECK(history.members.size() == 1 && history.members[0].states.empty() && history.members[0].works.empty());
  CHECK(history.critical_path.empty() && history.moments.empty());
  CHECK(near(history.parallelism(), 0) && near(history.untaken(), 0));
}

void work_and_states() {
  Log log;
  log.task(10, "lead", "CREATED", 1, "").state(11, "ann", "", "spawn").state(12, "ann", "spawn", "active");
  log.task(13, "ann", "CLAIMED", 1, "ann").task(16, "ann", "COMPLETED", 1, "ann");
  log.state(16, "ann", "active", "idle").state(20, "ann", "idle", "shutdown");
  const History history = log.close({task(1, Status::completed)}, {{"lead", std::nullopt}, {"ann", false}}, 99);
  CHECK(near(history.start, 10) && near(history.end, 20) && !history.goes_on);
  CHECK(history.members.size() == 2);
  const MemberHistory& ann = history.members[1];
  CHECK(ann.works.size() == 1 && spans(ann.works[0], 13, 16, WorkInterval::End::completed));
  CHECK(ann.states.size() == 3);
  CHECK(spans(ann.states[0], 11, 12, State::spawn));
  CHECK(spans(ann.states[1], 12, 16, State::active));
  CHECK(spans(ann.states[2], 16, 20, State::idle));
  CHECK(near(ann.worked, 3) && near(ann.idle, 4));
  CHECK(near(history.parallelism(), 0.3));
  CHECK(near(history.untaken(), 3));
}

void still_running() {
  Log log;
  log.task(10, "lead", "CREATED", 1, "").state(10, "ann", "", "active").task(12, "ann", "CLAIMED", 1, "ann");
  const History history = log.close({task(1, Status::in_progress, {}, "ann")}, {{"ann", true}}, 30);
  CHECK(history.goes_on && near(history.end, 30));
  CHECK(spans(history.members[0].works[0], 12, 30, WorkInterval::End::running));
  CHECK(spans(history.members[0].states[0], 10, 30, State::active));
}

void a_person_holds_a_task() {
  Log log;
  log.task(10, "lead", "CREATED", 1, "").task(12, "eve", "CLAIMED", 1, "eve");
  const History history = log.close({task(1, Status::in_progress, {}, "eve")}, {{"lead", std::nullopt}}, 30);
  CHECK(history.goes_on && history.members.size() == 2 && history.members[1].name == "eve");
  CHECK(spans(history.members[1].works[0], 12, 30, WorkInterval::End::running));
}

void a_member_dies() {
  Log log;
  log.task(10, "lead", "CREATED", 1, "").state(10, "ann", "", "active").task(11, "ann", "CLAIMED", 1, "ann");
  log.event(14, "ann", "TEXT_MESSAGE_CONTENT", R"({"delta":"I am"})").task(20, "lead", "CREATED", 2, "");
  const History history =
      log.close({task(1, Status::in_progress, {}, "ann"), task(2, Status::pending)}, {{"ann", false}}, 99);
  CHECK(!history.goes_on && near(history.end, 20));
  CHECK(spans(history.members[0].works[0], 11, 14, WorkInterval::End::lost));
  CHECK(spans(history.members[0].states[0], 10, 14, State::active));
}

void a_member_loses_its_task_to_another() {
  Log log;
  log.task(10, "lead", "CREATED", 1, "").state(10, "ann", "", "active").task(11, "ann", "CLAIMED", 1, "ann");
  log.released(18, "bob", 1, "ann").task(18, "bob", "CLAIMED", 1, "bob").task(21, "bob", "FAILED", 1, "bob");
  const History history = log.close({task(1, Status::failed)}, {{"ann", false}, {"bob", std::nullopt}}, 99);
  CHECK(spans(history.members[0].works[0], 11, 18, WorkInterval::End::released));
  CHECK(spans(history.members[0].states[0], 10, 18, State::active));
  CHECK(spans(history.members[1].works[0], 18, 21, WorkInterval::End::failed));
  CHECK(history.members[1].works[0].reason == "why");
  CHECK(near(history.tasks.at(1).worked, 10));
}

void a_dead_member_works_until_its_last_event() {
  Log log;
  log.task(10, "lead", "CREATED", 1, "").state(10, "ann", "", "active").task(11, "ann", "CLAIMED", 1, "ann");
  log.event(14, "ann", "STEP_STARTED", "{}").released(9000, "system", 1, "ann");
  const History history = log.close({task(1, Status::pending)}, {{"ann", false}}, 9999);
  CHECK(spans(history.members[0].works[0], 11, 14, WorkInterval::End::lost));
  CHECK(spans(history.members[0].states[0], 10, 14, State::active));
  CHECK(near(history.worked(), 3) && near(history.end, 9000));
}

void a_dead_member_whose_claim_is_gone_from_the_log() {
  Log log(900);
  log.event(10, "lead", "STEP_STARTED", "{}").event(12, "ann", "STEP_STARTED", "{}");
  log.released(50, "system", 1, "ann").released(50, "system", 2, "bob");
  const History history =
      log.close({task(1, Status::pending), task(2, Status::pending)}, {{"ann", false}, {"bob", false}}, 99);
  CHECK(spans(history.members[0].works[0], 10, 12, WorkInterval::End::lost));
  CHECK(spans(history.members[1].works[0], 10, 10, WorkInterval::End::lost));
}

void a_claim_that_only_the_board_knows() {
  GraphTask held = task(1, Status::in_progress, {}, "ann");
  held.claimed_at = 25;
  const History running = Log().task(10, "lead", "CREATED", 1, "").close({held}, {{"ann", true}}, 30);
  CHECK(running.goes_on && spans(running.members[0].works[0], 25, 30, WorkInterval::End::running));
  const History lost = Log().task(10, "lead", "CREATED", 1, "").close({held}, {{"ann", false}}, 30);
  CHECK(!lost.goes_on && near(lost.end, 25) && spans(lost.members[0].works[0], 25, 25, WorkInterval::End::lost));
}

void another_team_on_the_same_board() {
  Log log;
  log.task(10, "lead", "CREATED", 1, "").event(20, "lead", "STEP_STARTED", "{}");
  const History history = log.close({task(1, Status::in_progress, {}, "zoe")}, {{"lead", std::nullopt}}, 99);
  CHECK(!history.goes_on && near(history.end, 20) && near(history.worked(), 0));
  CHECK(history.members.size() == 1 && history.members[0].works.empty());
}

void a_second_run_starts_after_the_last_event_of_the_first() {
  Log log;
  log.state(10, "ann", "", "active").event(12, "ann", "TOOL_CALL_START", "{}");
  log.state(40, "ann", "active", "spawn").state(41, "ann", "spawn", "idle");
  const History history = log.close({}, {{"ann", true}}, 50);
  const auto& states = history.members[0].states;
  CHECK(states.size() == 3);
  CHECK(spans(states[0], 10, 12, State::active) && spans(states[1], 40, 41, State::spawn));
  CHECK(spans(states[2], 41, 50, State::idle));
}

void a_task_claimed_twice() {
  Log log;
  log.task(10, "lead", "CREATED", 1, "").task(11, "ann", "CLAIMED", 1, "ann").task(15, "bob", "CLAIMED", 1, "bob");
  log.task(17, "bob", "COMPLETED", 1, "bob");
  const History history = log.close({task(1, Status::completed)}, {{"ann", std::nullopt}, {"bob", std::nullopt}}, 99);
  CHECK(spans(history.members[0].works[0], 11, 15, WorkInterval::End::lost));
  CHECK(spans(history.members[1].works[0], 15, 17, WorkInterval::End::completed));
}

void a_log_that_starts_in_the_middle() {
  Log log(900);
  log.event(10, "lead", "STEP_STARTED", "{}").state(13, "ann", "active", "idle").task(14, "bob", "COMPLETED", 1, "bob");
  log.task(15, "bob", "FAILED", 9, "bob");
  GraphTask held = task(2, Status::in_progress, {}, "eve");
  held.claimed_at = 3;
  GraphTask old = task(3, Status::pending, {4});
  old.created_at = 1;
  const History history = log.close({task(1, Status::completed), held, old, task(4, Status::completed)},
                                    {{"ann", true}, {"bob", false}, {"eve", std::nullopt}}, 20);
  CHECK(history.starts_in_the_middle && near(history.start, 10));
  CHECK(history.members[0].states.size() == 2);
  CHECK(spans(history.members[0].states[0], 10, 13, State::active));
  CHECK(history.members[1].works.size() == 2);
  CHECK(spans(history.members[1].works[0], 10, 14, WorkInterval::End::completed));
  CHECK(spans(history.members[2].works[0], 10, 20, WorkInterval::End::running));
  CHECK(near(history.tasks.at(3).waited, 10));
}

void the_clock_goes_back() {
  Log log;
  log.task(100, "lead", "CREATED", 1, "").task(110, "ann", "CLAIMED", 1, "ann").state(50, "ann", "", "active");
  log.task(60, "ann", "COMPLETED", 1, "ann").state(115, "ann", "active", "shutdown");
  const History history = log.close({task(1, Status::completed)}, {{"ann", false}}, 70);
  CHECK(near(history.start, 100) && near(history.end, 115));
  CHECK(spans(history.members[0].works[0], 110, 110, WorkInterval::End::completed));
  CHECK(spans(history.members[0].states[0], 110, 115, State::active));
  CHECK(history.elapsed() >= 0);
}

void now_is_before_the_last_event() {
  Log log;
  log.state(100, "ann", "", "active").task(101, "lead", "CREATED", 1, "");
  const History history = log.close({task(1, Status::pending)}, {{"ann", true}}, 7);
  CHECK(near(history.end, 101) && spans(history.members[0].states[0], 100, 101, State::active));
}

void waiting_for_a_plan_does_not_count_as_work() {
  Log log;
  log.task(10, "lead", "CREATED", 1, "").state(10, "ann", "", "active").task(10, "ann", "CLAIMED", 1, "ann");
  log.state(12, "ann", "active", "plan_pending").state(17, "ann", "plan_pending", "active");
  log.state(18, "ann", "active", "paused").state(19, "ann", "paused", "active");
  log.task(20, "ann", "COMPLETED", 1, "ann").state(20, "ann", "active", "shutdown");
  const History history = log.close({task(1, Status::completed)}, {{"ann", false}}, 99);
  CHECK(near(history.members[0].plan_pending, 5) && near(history.members[0].paused, 1));
  CHECK(near(history.members[0].worked, 4));
}

void two_tasks_at_once_are_not_twice_the_work() {
  Log log;
  log.task(10, "lead", "CREATED", 1, "").task(10, "lead", "CREATED", 2, "").task(10, "ann", "CLAIMED", 1, "ann");
  log.task(12, "ann", "CLAIMED", 2, "ann").task(14, "ann", "COMPLETED", 1, "ann");
  log.task(16, "ann", "COMPLETED", 2, "ann");
  const History history =
      log.close({task(1, Status::completed), task(2, Status::completed)}, {{"ann", std::nullopt}}, 99);
  CHECK(near(history.members[0].worked, 6) && near(history.parallelism(), 1));
}

void waits() {
  Log log;
  log.task(10, "lead", "CREATED", 1, "").task(10, "lead", "CREATED", 2, "").state(10, "bob", "", "idle");
  log.task(13, "ann", "CLAIMED", 1, "ann").task(18, "ann", "COMPLETED", 1, "ann");
  log.task(20, "bob", "CLAIMED", 2, "bob").state(20, "bob", "idle", "active").released(21, "bob", 2, "bob");
  log.task(25, "bob", "CLAIMED", 2, "bob")
      .task(26, "bob", "COMPLETED", 2, "bob")
      .state(30, "bob", "active", "shutdown");
  const History history = log.close({task(1, Status::completed), task(2, Status::completed, {1})},
                                    {{"ann", std::nullopt}, {"bob", false}}, 99);
  CHECK(near(history.tasks.at(1).waited, 3));
  CHECK(near(history.tasks.at(2).waited, 2 + 4));
  CHECK(near(history.idle_blocked, 5));  // from 13 to 18: bob is idle, and 2 waits for 1, which ann owns
}

void a_task_behind_a_failed_or_missing_task_is_not_ready() {
  Log log;
  log.task(10, "lead", "CREATED", 1, "").task(10, "lead", "CREATED", 2, "").task(10, "ann", "CLAIMED", 1, "ann");
  log.task(12, "ann", "FAILED", 1, "ann").event(30, "lead", "STEP_STARTED", "{}");
  const History history =
      log.close({task(1, Status::failed), task(2, Status::pending, {1}), task(3, Status::pending, {77})}, {}, 99);
  CHECK(near(history.untaken(), 0));
}

void work_through(Log& log, TaskId id, double from, double to) {
  log.task(from, "ann", "CLAIMED", id, "ann").task(to, "ann", "COMPLETED", id, "ann");
}

void critical_path() {
  Log log;
  log.task(0, "lead", "CREATED", 1, "");
  work_through(log, 1, 0, 2);
  work_through(log, 2, 2, 10);  // the longest task, but no task depends on it
  work_through(log, 3, 10, 15);
  work_through(log, 4, 15, 19);
  const auto done = Status::completed;
  const History history = log.close({task(1, done), task(2, done), task(3, done, {1}), task(4, done, {3, 1})}, {}, 99);
  CHECK((history.critical_path == std::vector<TaskId>{1, 3, 4}));
  CHECK(near(history.critical_time, 11));
}

// Tasks without work at its start are not part of the path.
void critical_path_without_work_at_its_start() {
  Log log;
  log.task(0, "lead", "CREATED", 1, "");
  work_through(log, 2, 2, 10);
  const History history = log.close({task(1, Status::completed), task(2, Status::completed, {1})}, {}, 99);
  CHECK((history.critical_path == std::vector<TaskId>{2}));
}

void critical_path_of_a_cycle_made_by_hand() {
  Log log;
  log.task(0, "lead", "CREATED", 1, "");
  work_through(log, 1, 0, 2);
  work_through(log, 2, 2, 5);
  const auto done = Status::completed;
  const History history = log.close({task(1, done, {2}), task(2, done, {1, 2}), task(3, Status::pending, {2})}, {}, 9);
  CHECK((history.critical_path == std::vector<TaskId>{1, 2}));
}

void retried_and_released() {
  Log log;
  log.task(1, "lead", "CREATED", 1, "").task(2, "ann", "CLAIMED", 1, "ann").task(4, "ann", "FAILED", 1, "ann");
  log.task(5, "lead", "REOPENED", 1, "").task(7, "bob", "CLAIMED", 1, "bob").task(9, "lead", "DELETED", 1, "");
  const History history = log.close({}, {{"ann", std::nullopt}, {"bob", std::nullopt}}, 10);
  CHECK(spans(history.members[0].works[0], 2, 4, WorkInterval::End::failed));
  CHECK(spans(history.members[1].works[0], 7, 9, WorkInterval::End::lost));
}

// In a log that starts in the middle, no earlier interval is invented for a member that starts during the log.
void first_events_in_the_middle() {
  Log log(900);
  log.event(10, "lead", "STEP_STARTED", "{}").state(11, "ann", "shutdown", "active").state(12, "bob", "idle", "spawn");
  log.state(13, "eve", "", "idle");
  const History history = log.close({}, {{"ann", true}, {"bob", true}, {"eve", true}}, 20);
  for (const MemberHistory& member : history.members) CHECK(member.states.size() == 1);
}

void critical_path_with_a_shorter_way() {
  Log log;
  log.task(0, "lead", "CREATED", 1, "");
  work_through(log, 1, 0, 2);
  work_through(log, 2, 2, 7);
  work_through(log, 4, 7, 8);
  const auto done = Status::completed;
  const History history = log.close({task(1, done), task(2, done), task(3, done), task(4, done, {1, 2, 3})}, {}, 99);
  CHECK((history.critical_path == std::vector<TaskId>{2, 4}));
}

void names_of_ends() {
  using enum WorkInterval::End;
  CHECK(name_of(completed) == "completed" && name_of(failed) == "failed" && name_of(released) == "released");
  CHECK(name_of(lost) == "lost" && name_of(running) == "running");
}

void messages_and_strange_events() {
  Log log;
  log.event(1, "ann", "MESSAGE_SENT", R"({"sender":"ann","recipient":"bob","message_type":"message","summary":"hi"})");
  log.event(2, "ann", "TASK_CLAIMED", R"({"task_id":"seven"})").event(3, "", "TASK_CLAIMED", R"({"task_id":7})");
  log.event(4, "ann", "MEMBER_STATE", R"({"to":"dancing"})").event(5, "ann", "NOVELTY", "{}");
  log.event(6, "ann", "TASK_RELEASED", R"({"task_id":8,"owner":null,"changes":{"owner":[]}})");
  for (const char* changes : {"7", "{}", R"({"owner":7})", R"({"owner":[7,null]})"}) {
    log.event(7, "ann", "TASK_RELEASED", fmt::format(R"({{"task_id":8,"owner":null,"changes":{}}})", changes));
  }
  log.event(8, "ann", "TASK_CLAIMED", "{}");
  const History history = log.close({}, {{"ann", true}}, 9);
  CHECK(history.messages.size() == 1 && history.messages[0].summary == "hi" && history.messages[0].recipient == "bob");
  CHECK(history.members.size() == 1 && history.members[0].states.empty() && history.members[0].works.empty());
}

}  // namespace

int main() {
  nothing_has_happened();
  work_and_states();
  still_running();
  a_person_holds_a_task();
  a_member_dies();
  a_member_loses_its_task_to_another();
  a_dead_member_works_until_its_last_event();
  a_dead_member_whose_claim_is_gone_from_the_log();
  a_claim_that_only_the_board_knows();
  another_team_on_the_same_board();
  a_second_run_starts_after_the_last_event_of_the_first();
  a_task_claimed_twice();
  a_log_that_starts_in_the_middle();
  the_clock_goes_back();
  now_is_before_the_last_event();
  waiting_for_a_plan_does_not_count_as_work();
  two_tasks_at_once_are_not_twice_the_work();
  waits();
  a_task_behind_a_failed_or_missing_task_is_not_ready();
  critical_path();
  critical_path_without_work_at_its_start();
  critical_path_of_a_cycle_made_by_hand();
  critical_path_with_a_shorter_way();
  retried_and_released();
  first_events_in_the_middle();
  names_of_ends();
  messages_and_strange_events();
  return test::report();
}
