// Gates and landings on the board: offers, intents, and landings of killed processes, on files and in memory.
#include <memory>

#include "libteam/record/landing_rules.h"
#include "libteam/record/settings.h"
#include "libteam/store/memory/memory_engine.h"
#include "libteam/store/team_session.h"
#include "tests/unit/check.h"
#include "tests/unit/store.h"

using namespace team;
using namespace team::test;

namespace {

const std::string kOld(40, 'a'), kNew(40, 'b');

// A line of which the test says whether it has moved.
struct TestLine : LandingJudge {
  void judge(const Receipt& landing, const std::function<void(bool)>& decide) const override {
    ++asked;
    if (is_away) fail(Code::not_found, "no repository");
    decide(has_moved && landing.commit == kNew);
  }
  mutable int asked = 0;
  bool has_moved = false;
  bool is_away = false;
};

struct Desk {
  explicit Desk(std::unique_ptr<Engine> made) : engine(std::move(made)) {
    team.name = "alpha";
    team.members = {{"lead", std::nullopt, 0, false, "{}"},
                    {"ann", "coder", 0, false, "{}"},
                    {"bob", std::nullopt, 0, false, "{}"}};
    set_setting(team, "tasks.lease", "1h");
    engine->create(team, [](const Error&) {});
    engine->set_landing_judge(line);
    board.reset(new Board(engine->open_board(&team, Missing::make)));
    board->create({draft("one"), draft("two", {1})}, lead);
    board->claim(1, ann);
  }

  Task task(TaskId id = 1) const { return board->view().get(id); }
  Receipt landing() const { return {.line = "team/alpha", .commit = kNew, .base = kOld, .checked = {}, .check = {}}; }
  // ann works in a tree and is killed while her work lands.
  void die_while_landing() {
    board->begin_work(1, kOld, ann);
    board->announce_landing(1, {.commit = kOld, .result = "built", .at = 1}, landing(), ann);
  }
  Changed change(TaskId id, Status status, const Actor& who) {
    TaskChange wanted;
    wanted.status = status;
    return board->change(id, wanted, who);
  }

  std::shared_ptr<TestLine> line = std::make_shared<TestLine>();
  std::unique_ptr<Engine> engine;
  Team team;
  std::unique_ptr<Board> board;
  const Actor ann = actor("ann", "run-1");
  const Actor lead{.name = "lead", .role = std::nullopt, .run = std::nullopt, .leads = true};
};

// A completion in a tree is an offer of the run that works on it; all others are refused.
void offers(Desk desk) {
  desk.board->begin_work(1, kOld, desk.ann);
  CHECK(desk.task().base == kOld);
  TaskChange done;
  done.status = Status::completed;
  done.result = "built";
  CHECK(fails_with(Code::invalid_state, [&] { desk.board->change(1, done, desk.lead); }));
  CHECK(fails_with(Code::conflict, [&] { desk.board->change(1, done, actor("ann", "run-2")); }));
  // The receipt of a check outside of the tree is not enough.
  TaskChange checked_elsewhere = done;
  checked_elsewhere.receipt.emplace();
  CHECK(fails_with(Code::invalid_state, [&] { desk.board->change(1, checked_elsewhere, desk.lead); }));
  const Task offered = desk.board->change(1, done, desk.ann).task;
  CHECK(offered.status == Status::in_progress && offered.offer && offered.offer->result == "built");
  // Given back, it is neither offered nor begun.
  const Task back = desk.change(1, Status::pending, desk.ann).task;
  CHECK(!back.offer && !back.base);
}

void checks(Desk desk) {
  TaskChange check;
  check.check = "make test";
  CHECK(fails_with(Code::permission_denied, [&] { desk.board->change(1, check, desk.ann); }));
  CHECK(desk.board->change(1, check, desk.lead).task.check == "make test");
  CHECK(desk.board->check_of(desk.task()) == "make test");
  CHECK(message_of([&] { desk.change(1, Status::completed, desk.lead); }).find("task-complete --wait") !=
        std::string::npos);
  // With its receipt it completes.
  TaskChange done;
  done.status = Status::completed;
  done.receipt.emplace();
  done.receipt->check = CheckReceipt{"make test", 0, 0.5, false, std::nullopt};
  const Task completed = desk.board->change(1, done, desk.ann).task;
  CHECK(completed.status == Status::completed && completed.receipt == done.receipt);
  check.check = "";
  CHECK(fails_with(Code::invalid_state, [&] { desk.board->change(1, check, desk.lead); }));
}

void landings(Desk desk) {
  desk.board->begin_work(1, kOld, desk.ann);
  CHECK(fails_with(Code::conflict, [&] { desk.board->announce_landing(1, {}, desk.landing(), actor("bob")); }));
  const Offer offer{.commit = kOld, .result = "built", .at = 1};
  desk.board->announce_landing(1, offer, desk.landing(), desk.ann);
  CHECK(desk.task().status == Status::in_progress && desk.task().landing == desk.landing());
  CHECK(fails_with(Code::conflict, [&] { desk.board->announce_landing(1, offer, desk.landing(), desk.ann); }));
  // Another landing than the one that stands is not ended.
  CHECK(desk.board->end_landing(1, Receipt{}, true).task.status == Status::in_progress);
  const Changed ended = desk.board->end_landing(1, desk.landing(), true);
  CHECK(ended.task.status == Status::completed && ended.task.result == "built");
  CHECK(ended.freed.size() == 1 && ended.freed[0].id == 2);
  CHECK(desk.task().receipt == desk.landing() && !desk.task().landing && !desk.task().offer && !desk.task().base);
  CHECK(desk.line->asked == 0);
}

// The owner of a task that became ready hears of it also if somebody else ends the landing.
void messages(Desk desk) {
  TaskChange owner;
  owner.owner = "bob";
  desk.board->change(2, owner, desk.lead);
  desk.die_while_landing();
  desk.line->has_moved = true;
  const TeamSession session(*desk.engine, "alpha", desk.lead);
  TaskChange edit;
  edit.priority = 1;
  session.tasks().update(1, edit);
  std::vector<std::string> texts;
  const auto keep = [&](const Message& message) { texts.push_back(message.content); };
  session.mail().mailbox("bob").peek({}, 10, std::nullopt, keep);
  CHECK(texts ==
        std::vector<std::string>{R"([System] Task "one" completed by ann. bob, your task "two" is now unblocked.)"});
}

// Each operation that finds a landing asks the judge first.
void found_landings(Desk desk, bool has_moved) {
  desk.die_while_landing();
  desk.line->has_moved = has_moved;
  TaskChange edit;
  edit.priority = 1;
  const Task edited = desk.board->change(1, edit, desk.lead).task;
  CHECK(desk.line->asked == 1 && !edited.landing && edited.priority == 1);
  CHECK(edited.status == (has_moved ? Status::completed : Status::in_progress));
  CHECK(edited.receipt.has_value() == has_moved);
  // Its owner offered it and may try again.
  CHECK(has_moved || edited.offer->result == "built");
}

// A restarted member takes its task over only if it has not landed.
void recovery(Desk desk, bool has_moved) {
  desk.die_while_landing();
  desk.line->has_moved = has_moved;
  const auto recovered = desk.board->recover(actor("ann", "run-2"), Board::Recovery::take_over);
  CHECK(recovered.size() == (has_moved ? 0 : 1));
  CHECK(desk.task().status == (has_moved ? Status::completed : Status::in_progress));
  CHECK(desk.task().run == (has_moved ? "run-1" : "run-2"));
}

// ann is dead, so her task goes back to the board, unless it has landed.
void reclaim(Desk desk, bool has_moved) {
  desk.die_while_landing();
  {
    const auto life = desk.engine->open_lives("alpha");
    const auto held = life->take("ann");
    CHECK(desk.board->reclaim().empty());  // she lives
    CHECK(desk.line->asked == 0);
  }
  desk.line->is_away = true;
  CHECK(!desk.board->claim_next(desk.lead) && desk.task().landing);  // nobody can tell
  desk.line->is_away = false;
  desk.line->has_moved = has_moved;
  const auto claimed = desk.board->claim_next(desk.lead);
  CHECK(claimed && claimed->task.id == (has_moved ? 2 : 1));
  CHECK(desk.task(1).status == (has_moved ? Status::completed : Status::in_progress));
}

void json() {
  Task task;
  task.id = 1;
  task.subject = "one";
  task.check = "make";
  task.base = kOld;
  task.offer = Offer{kNew, "built", 2.5};
  task.landing = Receipt{"team/alpha", kNew, kOld, kNew, CheckReceipt{"make", 0, 1.5, true, "out.txt"}};
  task.receipt = Receipt{};
  const Task read = parse_task(to_file(task), 1, "1.json");
  CHECK(read.check == task.check && read.base == task.base && read.offer == task.offer);
  CHECK(read.landing == task.landing && read.receipt == task.receipt && read.extra == "{}");
  CHECK(to_file(read) == to_file(task));
  CHECK(message_of([] { parse_task(R"({"subject": "x", "base": "--all"})", 1, "1.json"); }) ==
        "1.json:1:18: 'base' must be the name of a commit, 40 or 64 hexadecimal digits");
  CHECK(fails_with(Code::usage, [] { parse_draft(R"({"subject": "x", "receipt": {}})", "line 1"); }));
  CHECK(parse_draft(R"({"subject": "x", "check": "make"})", "line 1").task.check == "make");
  CHECK(fails_with(Code::usage, [] { parse_draft(R"({"subject": "x", "check": " "})", "line 1"); }));
}

void settings() {
  Team team;
  team.name = "alpha";
  CHECK(setting(team, "tasks.check").empty());
  set_setting(team, "tasks.check", R"(test "$A" = 'b\c')");
  CHECK(setting(team, "tasks.check") == R"(test "$A" = 'b\c')");
  CHECK(setting(parse_team(to_file(team), "alpha", "config.json"), "tasks.check") == R"(test "$A" = 'b\c')");
}

}  // namespace

int main() {
  char folder[] = "/tmp/teamkit-landing-XXXXXX";
  const std::string parent = ::mkdtemp(folder);
  int count = 0;
  const auto in_files = [&] {
    const std::string root = fmt::format("{}/{}", parent, ++count);
    std::filesystem::create_directory(root);
    return std::make_unique<FileEngine>(Root::find_or_here({root, std::nullopt}), 1.0);
  };
  const auto in_memory = [] { return std::make_unique<MemoryEngine>(); };
  const auto each = [&](auto test) {
    test(Desk(in_files()));
    test(Desk(in_memory()));
  };
  each([](Desk desk) { offers(std::move(desk)); });
  each([](Desk desk) { checks(std::move(desk)); });
  each([](Desk desk) { landings(std::move(desk)); });
  each([](Desk desk) { messages(std::move(desk)); });
  for (const bool has_moved : {true, false}) {
    each([&](Desk desk) { found_landings(std::move(desk), has_moved); });
    each([&](Desk desk) { recovery(std::move(desk), has_moved); });
    each([&](Desk desk) { reclaim(std::move(desk), has_moved); });
  }
  json();
  settings();
  std::filesystem::remove_all(parent);
  return report();
}
