// The rules of tasks, as tables of cases.
#include "libteam/record/task_rules.h"

#include "tests/unit/check.h"

using namespace team;
using test::fails_with;
using test::message_of;

namespace {

constexpr double kNow = 1000;

Task task(Status status, const std::optional<std::string>& owner = std::nullopt) {
  Task made;
  made.id = 7;
  made.subject = "x";
  made.status = status;
  made.owner = owner;
  return made;
}

Actor member(const std::string& name, const std::optional<std::string>& run = std::nullopt) {
  return {.name = name, .role = std::nullopt, .run = run, .leads = false};
}

const Actor kLead{.name = "lead", .role = std::nullopt, .run = std::nullopt, .leads = true};

Draft draft(const std::string& key, std::vector<TaskId> blocked_by, std::vector<std::string> keys) {
  Draft made;
  made.where = "line";
  made.key = key;
  made.blocked_by_keys = std::move(keys);
  made.task.subject = "x";
  made.task.blocked_by = std::move(blocked_by);
  return made;
}

void numbers() {
  const auto tasks = number_drafts({draft("a", {3, 3, 2}, {}), draft("b", {5}, {"a", "a"})}, 5, "ann", kNow);
  CHECK(tasks.size() == 2 && tasks[0].id == 5 && tasks[1].id == 6);
  CHECK((tasks[0].blocked_by == std::vector<TaskId>{3, 2}) && tasks[1].blocked_by == std::vector<TaskId>{5});
  CHECK(tasks[0].created_by == "ann" && tasks[0].created_at == kNow && tasks[0].updated_at == kNow);
  CHECK(fails_with(Code::not_found, [] { number_drafts({draft("", {}, {"a"}), draft("a", {}, {})}, 1, "ann", kNow); }));
  CHECK(fails_with(Code::usage, [] { number_drafts({draft("a", {}, {}), draft("a", {}, {})}, 1, "ann", kNow); }));
  CHECK(number_drafts({draft("", {}, {})}, kLargestTaskId, "ann", kNow).front().id == kLargestTaskId);
  CHECK(fails_with(Code::invalid_state, [] {
    number_drafts({draft("", {}, {}), draft("", {}, {})}, kLargestTaskId, "ann", kNow);
  }));
}

void claims() {
  const auto claim = [](const Task& wanted, const std::string& name) {
    return message_of([&] { check_claim(wanted, member(name)); });
  };
  CHECK(claim(task(Status::pending), "ann") == "no error");
  CHECK(claim(task(Status::pending, "ann"), "ann") == "no error");
  CHECK(claim(task(Status::pending, "bob"), "ann") == "task 7 is owned by bob");
  CHECK(claim(task(Status::in_progress, "ann"), "ann") == "task 7 is owned by ann");
  CHECK(claim(task(Status::failed), "ann") == "task 7 is failed");
  CHECK(message_of([] { check_unblocked(task(Status::pending), {3, 4}); }) == "task 7 waits for 3, 4");
  check_capacity(member("ann"), {1, 2}, 0);
  check_capacity(member("ann"), {1}, 2);
  CHECK(fails_with(Code::busy, [] { check_capacity(member("ann"), {1, 2}, 2); }));
}

void ends() {
  const auto end = [](Task from, Status to, const Actor& actor) {
    TaskChange wanted;
    wanted.status = to;
    finish_work(from, wanted, actor, kNow);
    return from;
  };
  Task worked_on = task(Status::in_progress, "ann");
  worked_on.run = "first";
  worked_on.lease = Lease{"boot", 5};
  const Task completed = end(worked_on, Status::completed, member("ann", "first"));
  CHECK(completed.status == Status::completed && completed.completed_at == kNow && !completed.lease);
  CHECK(end(worked_on, Status::failed, kLead).error == "no reason given");
  CHECK(!end(worked_on, Status::pending, kLead).owner);
  CHECK(fails_with(Code::conflict, [&] { end(worked_on, Status::completed, member("ann", "second")); }));
  CHECK(fails_with(Code::permission_denied, [&] { end(worked_on, Status::completed, member("bob")); }));
  CHECK(fails_with(Code::invalid_state, [&] { end(task(Status::pending), Status::completed, kLead); }));
  CHECK(fails_with(Code::permission_denied, [&] { end(task(Status::failed), Status::pending, member("ann")); }));
  CHECK(end(task(Status::failed), Status::pending, kLead).status == Status::pending);
}

// Members assign tasks to themselves; the lead assigns them to others.
void assignments() {
  const auto assign = [](Task given, const std::string& owner, const Actor& actor) {
    TaskChange wanted;
    wanted.owner = owner;
    edit_fields(given, wanted, actor);
    return given.owner.value_or("nobody");
  };
  CHECK(assign(task(Status::pending), "ann", member("ann")) == "ann");
  CHECK(assign(task(Status::pending, "ann"), "", member("ann")) == "nobody");
  CHECK(assign(task(Status::pending, "bob"), "ann", kLead) == "ann");
  CHECK(assign(task(Status::in_progress, "ann"), "ann", member("bob")) == "ann");
  CHECK(fails_with(Code::permission_denied, [&] { assign(task(Status::pending, "bob"), "ann", member("ann")); }));
  CHECK(fails_with(Code::permission_denied, [&] { assign(task(Status::pending), "bob", member("ann")); }));
  CHECK(fails_with(Code::invalid_state, [&] { assign(task(Status::in_progress, "bob"), "ann", kLead); }));
}

void losses() {
  int reads = 0;
  const auto reason = [&](const std::optional<Lease>& lease, Life life, const std::string& boot = "this") {
    Task given = task(Status::in_progress, "ann");
    given.lease = lease;
    const auto clock = [&] {
      ++reads;
      return BootClock{boot, 100};
    };
    return why_lost(given, life, clock).value_or("-");
  };
  CHECK(reason(std::nullopt, Life::dead) == "released: ann died");
  CHECK(reason(Lease{"this", 50}, Life::running) == "-" && reason(std::nullopt, Life::unknown) == "-");
  CHECK(reads == 0);
  CHECK(reason(Lease{"this", 100.5}, Life::unknown) == "-");
  CHECK(reason(Lease{"this", 100}, Life::unknown) == "released: the lease of ann ran out");
  CHECK(reason(Lease{"other", 500}, Life::unknown) == "released: the machine of ann was restarted");
  CHECK(reason(Lease{"other", 500}, Life::unknown, "") == "-" && reason(Lease{"", 500}, Life::unknown) == "-");
  const auto no_clock = []() -> BootClock { fail(Code::io, "the clock was read"); };
  CHECK(!why_lost(task(Status::pending), Life::dead, no_clock) && !make_lease(0, no_clock));
  CHECK(make_lease(10, [] { return BootClock{"this", 100}; })->until == 110);
}

void members() {
  Task given = task(Status::pending);
  CHECK(may_take(given, "ann", std::nullopt) && may_come_to(given, member("ann")));
  given.role = "coder";
  CHECK(!may_take(given, "ann", std::nullopt) && may_take(given, "ann", "coder") && !may_take(given, "ann", "tester"));
  given.owner = "ann";
  CHECK(may_take(given, "ann", "tester") && !may_take(given, "bob", "coder") && may_come_to(given, member("ann")));
  CHECK(!may_come_to(task(Status::pending, "bob"), member("ann")));
  CHECK(may_come_to(task(Status::in_progress, "bob"), member("ann")));
}

}  // namespace

int main() {
  numbers();
  claims();
  ends();
  assignments();
  losses();
  members();
  return test::report();
}
