// Operations on tasks: their notifications, and the outcome of a failure after the change.
#include "libteam/store/task_operations.h"

#include "libteam/system/lock.h"
#include "tests/unit/check.h"
#include "tests/unit/store.h"

using namespace team;
using namespace team::test;

namespace {

// ann owns task 1, which is in progress. Task 2 of bob and task 3 of lead wait for it.
struct Desk {
  Desk() : board(store.open_board()), mail(open_team(store.root, store.team, 0.05), store.team), ann(actor("ann")) {
    Draft second = draft("two", {1}), third = draft("three", {1});
    second.task.owner = "bob";
    third.task.owner = "lead";
    const Actor user{.name = "user", .role = std::nullopt, .run = std::nullopt, .leads = true};
    board.create({draft("one"), second, third}, user);
    board.claim(1, ann);
  }

  TaskOperations tasks() { return {board, &mail, &store.team, ann}; }
  // The messages in the mailbox of a member, one per line.
  std::string told(const std::string& name) const {
    std::string texts;
    mail.mailbox(name).peek({}, 100, std::nullopt, [&](const Message& message) { texts += message.content + "\n"; });
    return texts;
  }
  Lock hold(const std::string& name) const {
    return Lock::acquire(*Folder::find(store.path_of(".teams/alpha")), name, 1);
  }
  Status status(TaskId id) const { return board.view().get(id).status; }

  TestStore store;
  Board board;
  Mail mail;
  Actor ann;
};

void completions() {
  Desk desk;
  const TaskUpdate update = desk.tasks().complete(1, "built");
  CHECK(update.trouble.empty() && update.changed.freed.size() == 2);
  CHECK(update.changed.task.result == "built");
  CHECK(desk.told("bob") == "[System] Task \"one\" completed by ann. bob, your task \"two\" is now unblocked.\n");
  CHECK(desk.told("lead") == "[System] Task \"one\" completed by ann. lead, your task \"three\" is now unblocked.\n");
  CHECK(fails_with(Code::invalid_state, [&] { desk.tasks().complete(1, std::nullopt); }));
}

// No task became ready, so no member is told.
void failures_and_releases() {
  Desk desk;
  CHECK(desk.tasks().release(1, "no time", std::nullopt).changed.task.error == "no time");
  desk.board.claim(1, desk.ann);
  CHECK(desk.tasks().fail(1, "no way").changed.task.status == Status::failed);
  CHECK(desk.told("bob").empty() && desk.told("lead").empty());
}

void assignments() {
  Desk desk;
  Draft own = draft("mine");
  own.task.owner = "ann";
  CHECK(desk.tasks().create({own}).trouble.empty());
  CHECK(desk.told("ann").empty());
  const Actor lead{.name = "lead", .role = std::nullopt, .run = std::nullopt, .leads = true};
  Draft given = draft("yours \" and more");
  given.task.owner = "bob";
  const TaskOperations tasks(desk.board, &desk.mail, &desk.store.team, lead);
  CHECK(tasks.create({given}).ids == std::vector<TaskId>{5});
  CHECK(desk.told("bob") == "[System] Task 5 \"yours ' and more\" was assigned to you by lead.\n");
  const TaskOperations alone(desk.board, nullptr, nullptr, lead);
  CHECK(alone.create({given}).trouble.empty());
}

void locked_inbox() {
  Desk desk;
  const Lock lock = desk.hold("bob_inbox.lock");
  const TaskUpdate update = desk.tasks().complete(1, std::nullopt);
  CHECK(update.trouble.starts_with("the change is made, but bob was not told of task 2: cannot lock "));
  CHECK(update.changed.freed.size() == 2 && desk.status(1) == Status::completed);
  CHECK(!desk.told("lead").empty());
}

// The change is on the board and the log fails: the tasks that became ready are found again and their owners are told.
void locked_log() {
  Desk desk;
  const Lock lock = desk.hold("events.lock");
  const TaskUpdate update = desk.tasks().complete(1, std::nullopt);
  CHECK(update.trouble.starts_with("it is done, but not in the log: "));
  CHECK(update.changed.freed.size() == 2 && desk.status(1) == Status::completed);
  CHECK(!desk.told("bob").empty() && !desk.told("lead").empty());
}

void locked_board() {
  Desk desk;
  const Lock lock = Lock::acquire(*Folder::find(desk.store.path_of(".tasks")), ".lock", 1);
  CHECK(fails_with(Code::again, [&] { desk.tasks().complete(1, std::nullopt); }));
  CHECK(desk.status(1) == Status::in_progress && desk.told("bob").empty());
}

}  // namespace

int main() {
  completions();
  failures_and_releases();
  assignments();
  locked_inbox();
  locked_log();
  locked_board();
  return test::report();
}
