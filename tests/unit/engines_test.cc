// Runs the same random histories on a board in files, in PostgreSQL and in memory. Every answer must be the same:
// values, refusals with their text, recorded events, the questions to hooks, and in the end all tasks. Times are left
// out. ENGINE_HISTORIES sets the number of histories and ENGINE_SEED the seed of the first. TEAMKIT_POSTGRES is the
// address of a server for tests; without it PostgreSQL is left out.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <stdexcept>
#include <utility>

#include "libteam/base/text.h"
#include "libteam/store/board.h"
#include "libteam/store/files/file_board.h"
#include "libteam/store/files/layout.h"
#include "libteam/store/memory/memory_board.h"
#include "libteam/store/postgres/postgres_board.h"
#include "tests/unit/check.h"
#include "tests/unit/postgres.h"
#include "tests/unit/store.h"

using namespace team;

namespace {

const std::vector<std::string> kMembers = {"lead", "ann", "bob", "cid", "dan"};
const std::vector<std::string> kOutsiders = {"user", "zoe"};
const std::vector<std::string> kRoles = {"coder", "tester", "writer"};
const std::vector<std::string> kRuns = {"first", "second"};
// A lease that ends at once, so that its end does not depend on the clock; and one that does not end in the test.
const std::vector<double> kLeases = {0, 1e-9, 1e6};

// The numbers after these keys are times.
std::string without_times(std::string text) {
  for (const std::string_view key : {"At\"", "until\""}) {
    for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
      const std::size_t from = text.find_first_not_of(": ", at + key.size());
      if (from == std::string::npos || text[from] < '0' || text[from] > '9') continue;
      const std::size_t end = text.find_first_not_of("0123456789.e+-", from);
      text.replace(from, end - from, "0");
    }
  }
  return text;
}

std::string text_of(const Task& task) { return without_times(to_file(task)); }

template <class Value>
std::string text_of(const std::vector<Value>& values) {
  std::string text = "[";
  for (const Value& value : values) text += fmt::format("{} ", value);
  return text + "]";
}

std::string text_of(const std::vector<Task>& tasks) {
  std::string text;
  for (const Task& task : tasks) text += text_of(task);
  return text;
}

std::string text_of(const Changed& changed) {
  return text_of(changed.task) + " was " + changed.owner_before.value_or("-") + " freed " + text_of(changed.freed);
}

std::string text_of(const EventOrigin& origin) {
  return fmt::format("{} {} {} {}", origin.team, origin.agent, origin.role.value_or("-"), origin.run.value_or("-"));
}

std::string text_of(const EventOrigin& origin, const std::vector<Event>& events) {
  std::string text = text_of(origin);
  for (const Event& event : events) text += "\n  " + event.type + " " + without_times(event.details);
  return text + "\n";
}

std::string text_of(const SeenTask& seen) {
  return text_of(seen.task) + text_of(seen.standing.open_blockers) + text_of(seen.standing.blocks);
}

// The members, with the same history for both boards.
struct Crowd {
  std::map<std::string, Life> lives;
  bool hooks_refuse = false;
};

// Writes down what the hooks hear.
class ListeningTeam : public test::LivingTeam {
 public:
  explicit ListeningTeam(const Crowd& crowd)
      : LivingTeam(kMembers, [&crowd](const std::string& member) { return crowd.lives.at(member); }), crowd_(crowd) {}
  void ask(const EventOrigin& origin, const std::string& hook, const Events& events) override {
    heard += "asked " + hook + " " + text_of(origin, events());
    if (crowd_.hooks_refuse) fail(Code::permission_denied, "{}: no", hook);
  }
  void tell(const std::vector<RecordedEvents>& recorded) override {
    for (const RecordedEvents& one : recorded) heard += "told " + text_of(one.origin, one.events);
  }
  std::string heard;

 private:
  const Crowd& crowd_;
};

using Operation = std::function<std::string(Board&)>;

// A board with several users, each with another lease.
class Side {
 public:
  Side(const Crowd& crowd, const std::vector<std::shared_ptr<BoardEngine>>& engines, const BoardRules& rules)
      : team_(std::make_shared<ListeningTeam>(crowd)) {
    for (std::size_t i = 0; i < kLeases.size(); ++i) {
      BoardRules leased = rules;
      leased.lease = kLeases[i];
      boards_.push_back(std::make_unique<Board>(engines[i], team_, leased));
    }
  }

  Board& board(std::size_t user) { return *boards_[user]; }

  // The answer of the operation, and the events that the hooks got.
  std::string answer(std::size_t user, const Operation& operation) {
    team_->heard.clear();
    code = std::nullopt;
    std::string answer;
    try {
      answer = operation(board(user));
    } catch (const Error& error) {
      code = error.code();
      answer = fmt::format("refused: {}: {}", name_of(error.code()), error.what());
    }
    return answer + "\n" + team_->heard;
  }

  std::optional<Code> code;

 private:
  std::shared_ptr<ListeningTeam> team_;
  std::vector<std::unique_ptr<Board>> boards_;
};

struct Counts {
  int histories = 0;
  int operations = 0;
  std::map<std::string, int> kinds;
  std::map<std::string, int> events;
  std::map<std::string, int> refusals;
};

class History {
 public:
  // `database` may be null.
  History(unsigned seed, const std::shared_ptr<const Database>& database)
      : random_(seed),
        root_(Root::find_or_here({store_.path, std::nullopt})),
        memory_(std::make_shared<MemoryBoard>()) {
    for (const std::string& member : kMembers) crowd_.lives[member] = static_cast<Life>(pick(3));
    BoardRules rules;
    rules.per_member = pick(3);
    rules.most_tasks = one_in(4) ? 12 : 0;
    rules.has_file = [](const std::string& path) { return path == "there"; };
    std::vector<std::shared_ptr<BoardEngine>> files;
    for (std::size_t i = 0; i < kLeases.size(); ++i) {
      files.push_back(std::make_shared<FileBoard>(root_, layout::kDefaultBoard,
                                                  *root_.find_store(layout::kDefaultBoard), Durability::process, 5,
                                                  [this](const EventOrigin& origin, const std::vector<Event>& events) {
                                                    logged_ += text_of(origin, events);
                                                    return Logged{};
                                                  }));
    }
    others_.push_back({"in files", std::make_unique<Side>(crowd_, files, rules), &logged_});
    if (database) others_.push_back({"in PostgreSQL", in_postgres(database, rules), &logged_in_postgres_});
    model_ = std::make_unique<Side>(crowd_, std::vector<std::shared_ptr<BoardEngine>>(kLeases.size(), memory_), rules);
  }

  // Does the same on both boards; false, with a message, if they answer differently.
  bool step(Counts& counts) {
    const auto& [name, weight, make] = draw();
    if (one_in(12)) change_crowd();
    if (one_in(30)) store_.remove(".tasks/.index");
    crowd_.hooks_refuse = one_in(25);
    const Operation operation = (this->*make)();
    const auto user = static_cast<std::size_t>(pick(static_cast<int>(kLeases.size())));
    const std::string expected = model_->answer(user, operation);
    ++counts.operations;
    ++counts.kinds[name];
    if (model_->code) ++counts.refusals[std::string(name_of(*model_->code))];
    for (const Other& other : others_) {
      const std::string answer = other.side->answer(user, operation);
      if (answer != expected) return differ(name, expected, other, answer);
    }
    std::string recorded;
    for (; compared_ < memory_->log().size(); ++compared_) {
      const RecordedEvents& one = memory_->log()[compared_];
      recorded += text_of(one.origin, one.events);
      for (const Event& event : one.events) ++counts.events[event.type];
    }
    for (const Other& other : others_) {
      const std::string logged = std::exchange(*other.logged, "");
      if (recorded != logged) return differ("the log", recorded, other, logged);
    }
    return true;
  }

  // Compares all tasks.
  bool compare() {
    const Operation whole = [](Board& board) {
      std::string text;
      for (const TaskId id : board.view().ids()) {
        const Task task = board.view().get(id);
        text += text_of({task, board.view().standing_of(task)});
      }
      return text;
    };
    const std::string expected = model_->answer(0, whole);
    for (const Other& other : others_) {
      const std::string answer = other.side->answer(0, whole);
      if (answer != expected) return differ("the whole board", expected, other, answer);
    }
    return true;
  }

 private:
  struct Kind {
    const char* name;
    int weight;
    Operation (History::*make)();
  };

  // An engine that is compared with the model.
  struct Other {
    std::string place;
    std::unique_ptr<Side> side;
    std::string* logged;  // by the last operation
  };

  std::unique_ptr<Side> in_postgres(const std::shared_ptr<const Database>& database, const BoardRules& rules) {
    const auto number = PostgresBoard::make_board(*database, store_.path);
    const auto record = [this](Transaction&, const EventOrigin& origin, const std::vector<Event>& events) {
      logged_in_postgres_ += text_of(origin, events);
      return Logged{};
    };
    const auto board = std::make_shared<PostgresBoard>(database, store_.path, number, record);
    return std::make_unique<Side>(crowd_, std::vector<std::shared_ptr<BoardEngine>>(kLeases.size(), board), rules);
  }

  static bool differ(const std::string& name, const std::string& expected, const Other& other,
                     const std::string& answer) {
    std::fprintf(stderr, "%s\n-- in memory:\n%s\n-- %s:\n%s\n", name.c_str(), expected.c_str(), other.place.c_str(),
                 answer.c_str());
    return false;
  }

  const Kind& draw() {
    static const Kind kKinds[] = {
        {"create", 10, &History::create},
        {"create a batch", 5, &History::create_batch},
        {"change", 22, &History::change},
        {"end", 14, &History::end},
        {"claim", 8, &History::claim},
        {"claim next", 14, &History::claim_next},
        {"remove", 4, &History::remove},
        {"reclaim", 3, &History::reclaim},
        {"recover", 3, &History::recover},
        {"is quiet", 3, &History::is_quiet},
        {"owners of ready", 3, &History::owners_of_ready},
        {"outlook", 4, &History::outlook},
        {"get", 3, &History::get},
        {"each", 3, &History::each},
        {"outline", 1, &History::outline},
    };
    if (memory_->ids().empty()) return kKinds[1];
    int total = 0;
    for (const Kind& kind : kKinds) total += kind.weight;
    int drawn = pick(total);
    const Kind* kind = kKinds;
    while ((drawn -= kind->weight) >= 0) ++kind;
    return *kind;
  }

  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  bool one_in(int many) { return pick(many) == 0; }
  const std::string& one_of(const std::vector<std::string>& names) {
    return names[static_cast<std::size_t>(pick(static_cast<int>(names.size())))];
  }
  std::optional<std::string> maybe_one_of(const std::vector<std::string>& names, int many) {
    return one_in(many) ? std::optional(one_of(names)) : std::nullopt;
  }

  // Mostly an id of a task; sometimes there is no such task.
  TaskId random_id() {
    const auto ids = memory_->ids();
    if (ids.empty() || one_in(20)) return pick(static_cast<int>(ids.size()) + 4) - 1;
    return ids[static_cast<std::size_t>(pick(static_cast<int>(ids.size())))];
  }
  std::vector<TaskId> random_ids(int most) {
    std::vector<TaskId> ids;
    for (int i = pick(most + 1); i > 0; --i) ids.push_back(random_id());
    return ids;
  }

  Actor random_actor() {
    Actor actor;
    actor.name = one_of(one_in(6) ? kOutsiders : kMembers);
    actor.role = maybe_one_of(kRoles, 2);
    actor.run = maybe_one_of(kRuns, 2);
    actor.leads = actor.name == "lead" || actor.name == "user";
    return actor;
  }

  void change_crowd() { crowd_.lives[one_of(kMembers)] = static_cast<Life>(pick(3)); }

  Draft random_draft() {
    Draft draft =
        test::draft(fmt::format("task {}", pick(100)), random_ids(one_in(2) && !memory_->ids().empty() ? 3 : 0));
    draft.task.owner = maybe_one_of(kMembers, 5);
    draft.task.role = maybe_one_of(kRoles, 3);
    if (one_in(2)) draft.task.priority = pick(3);
    if (one_in(6)) draft.task.deliverable = one_in(3) ? "missing" : "there";
    if (one_in(6)) draft.task.metadata = R"({"key":"value","another":[1,2]})";
    return draft;
  }

  Actor creator() {
    Actor actor = random_actor();
    actor.leads = actor.leads || !one_in(6);
    return actor;
  }

  Operation create() {
    return [draft = random_draft(), actor = creator()](Board& board) { return text_of(board.create({draft}, actor)); };
  }

  Operation create_batch() {
    std::vector<Draft> drafts;
    const int count = one_in(20) ? 20 : pick(6);
    for (int i = 0; i < count; ++i) {
      drafts.push_back(random_draft());
      drafts.back().where = fmt::format("line {}", i + 1);
      if (one_in(2)) drafts.back().key = fmt::format("k{}", one_in(20) ? 0 : i);
      if (i > 0 && one_in(2)) drafts.back().blocked_by_keys = {fmt::format("k{}", pick(i))};
    }
    return [drafts, actor = creator()](Board& board) { return text_of(board.create(drafts, actor)); };
  }

  TaskChange random_edit() {
    TaskChange change;
    if (one_in(4)) change.subject = one_in(15) ? " " : fmt::format("subject {}", pick(100));
    if (one_in(6)) change.description = std::string(static_cast<std::size_t>(pick(200)), 'd');
    if (one_in(6)) change.active_form = "working";
    if (one_in(4)) change.owner = one_in(3) ? "" : one_of(kMembers);
    if (one_in(5)) change.role = one_in(3) ? "" : one_of(kRoles);
    if (one_in(8)) change.deliverable = one_in(2) ? "" : one_in(3) ? "missing" : "there";
    if (one_in(4)) change.priority = pick(one_in(15) ? 5 : 3);
    if (one_in(5)) change.metadata.emplace_back("key", one_in(3) ? std::nullopt : std::optional<std::string>("[1]"));
    if (one_in(3)) change.add_blocked_by = random_ids(2);
    if (one_in(6)) change.remove_blocked_by = random_ids(1);
    if (one_in(6)) change.add_blocks = random_ids(3);
    return change;
  }

  // The owner if there is one, or the lead, or anybody.
  Actor actor_for(TaskId id) {
    Actor actor = random_actor();
    const auto task = memory_->find(id);
    if (task && task->owner && !one_in(4)) {
      actor.name = *task->owner;
      actor.leads = actor.name == "lead";
      if (!one_in(5)) actor.run = task->run;
    } else if (one_in(2)) {
      actor = {};
    }
    return actor;
  }

  void set_rev(TaskChange& change, TaskId id) {
    const auto task = memory_->find(id);
    if (task && one_in(6)) change.if_rev = one_in(3) ? task->rev + 1 : task->rev;
  }

  Operation change() {
    TaskChange change = random_edit();
    TaskId id = random_id();
    if (const auto task = memory_->find(id); task && !task->blocked_by.empty() && one_in(3)) {
      change.remove_blocked_by = {task->blocked_by.front()};
    }
    if (one_in(4)) change.status = static_cast<Status>(pick(4));
    if (one_in(4)) change.reason = "because";
    set_rev(change, id);
    return [=, actor = actor_for(id)](Board& board) { return text_of(board.change(id, change, actor)); };
  }

  // Mostly a task in progress; sometimes a failed one, which is opened again.
  Operation end() {
    TaskId id = random_id();
    const Status from = one_in(6) ? Status::failed : Status::in_progress;
    for (const TaskId other : memory_->ids()) {
      if (memory_->find(other)->status == from && one_in(2)) id = other;
    }
    TaskChange change;
    if (one_in(5)) change = random_edit();
    change.status = !one_in(3) ? Status::completed : one_in(2) ? Status::failed : Status::pending;
    if (from == Status::failed && !one_in(4)) change.status = Status::pending;
    if (one_in(2)) change.result = "done";
    if (one_in(2)) change.reason = "because";
    set_rev(change, id);
    return [=, actor = one_in(4) ? Actor{} : actor_for(id)](Board& board) {
      return text_of(board.change(id, change, actor));
    };
  }

  Operation claim() {
    return [id = random_id(), actor = random_actor()](Board& board) { return text_of(board.claim(id, actor)); };
  }

  Operation claim_next() {
    return [actor = random_actor()](Board& board) {
      const auto changed = board.claim_next(actor);
      std::vector<std::string> holders = board.lapses().holders;
      const std::string lapses = text_of(holders) + (board.lapses().lease_end != 0 ? " leased" : "");
      return (changed ? text_of(*changed) : "nothing is ready") + lapses;
    };
  }

  Operation remove() {
    const TaskId id = random_id();
    TaskChange change;
    set_rev(change, id);
    return [id, rev = change.if_rev, actor = one_in(3) ? random_actor() : Actor{}](Board& board) {
      board.remove(id, actor, rev);
      return std::string("removed");
    };
  }

  Operation reclaim() {
    return [](Board& board) { return text_of(board.reclaim()); };
  }

  Operation recover() {
    const auto recovery = one_in(2) ? Board::Recovery::take_over : Board::Recovery::release;
    return [recovery, actor = random_actor()](Board& board) { return text_of(board.recover(actor, recovery)); };
  }

  Operation is_quiet() {
    std::vector<Member> members;
    for (const std::string& name : kMembers) {
      if (one_in(2)) members.push_back({name, maybe_one_of(kRoles, 2), 0, false, "{}"});
    }
    return [members](Board& board) {
      int calls = 0;
      const bool quiet = board.is_quiet(members, [&] { ++calls; });
      return fmt::format("{} {}", quiet, calls);
    };
  }

  Operation owners_of_ready() {
    return [](Board& board) { return text_of(board.owners_of_ready()); };
  }

  Operation outlook() {
    return [actor = random_actor()](Board& board) {
      const Outlook outlook = board.outlook_for(actor);
      return fmt::format("{} {}", outlook.is_over, outlook.stuck.value_or(0));
    };
  }

  Operation get() {
    return [id = random_id()](Board& board) {
      const Task task = board.view().get(id);
      return text_of({task, board.view().standing_of(task)}) + text_of(board.view().open_blockers(task)) +
             text_of(*board.view().find(id));
    };
  }

  Operation each() {
    TaskFilter filter;
    for (int i = pick(3); i > 0; --i) filter.statuses.push_back(static_cast<Status>(pick(4)));
    filter.owner = maybe_one_of(kMembers, 4);
    filter.ready = one_in(4);
    filter.blocked = one_in(4);
    const auto detail = one_in(2) ? BoardView::Detail::everything : BoardView::Detail::open_blockers;
    return [filter, detail](Board& board) {
      std::string text;
      board.view().each(
          filter, detail, [&](const SeenTask& seen) { text += text_of(seen); },
          [](TaskId, const Error& error) { throw error; });
      return text;
    };
  }

  Operation outline() {
    return [](Board& board) {
      std::string text;
      for (const auto& [id, outline] : board.view().outline([](TaskId, const Error& error) { throw error; })) {
        text += fmt::format("{} {} {}\n", id, name_of(outline.status), text_of(outline.blocked_by));
      }
      return text;
    };
  }

  std::mt19937 random_;
  test::TestStore store_;
  Root root_;
  Crowd crowd_;
  std::string logged_, logged_in_postgres_;
  std::size_t compared_ = 0;  // of the log in memory
  std::shared_ptr<MemoryBoard> memory_;
  std::unique_ptr<Side> model_;
  std::vector<Other> others_;
};

// A task that was not read in the transaction cannot be put.
void refuses_unread_tasks(const std::shared_ptr<BoardEngine>& engine) {
  Board(engine, std::make_shared<BoardTeam>(), {}).create({test::draft("one")}, {});
  const auto put = [&](bool reads) {
    try {
      engine->transact(BoardScope::one_task, [&](BoardTransaction& transaction) {
        if (reads) transaction.find(1);
        transaction.put(*engine->find(1));
      });
      return true;
    } catch (const std::out_of_range&) {
      return false;
    }
  };
  CHECK(!put(false) && put(true));
}

std::string list(const std::map<std::string, int>& counts) {
  std::vector<std::string> parts;
  for (const auto& [name, count] : counts) parts.push_back(fmt::format("{} {}", name, count));
  return join(parts, ", ");
}

unsigned number(const char* name, unsigned otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? static_cast<unsigned>(std::atoi(text)) : otherwise;
}

}  // namespace

int main() {
  ::setenv("TEAM_DURABILITY", "process", 1);
  constexpr int kSteps = 60;
  {
    const test::TestStore store;
    refuses_unread_tasks(std::make_shared<FileBoard>(store.root, layout::kDefaultBoard,
                                                     *store.root.find_store(layout::kDefaultBoard), Durability::process,
                                                     5, nullptr));
    refuses_unread_tasks(std::make_shared<MemoryBoard>());
  }
  const test::TestSchema schema;
  const auto& database = schema.database;
  if (database) {
    refuses_unread_tasks(
        std::make_shared<PostgresBoard>(database, "one", PostgresBoard::make_board(*database, "one"), nullptr));
  }
  const unsigned first = number("ENGINE_SEED", 1);
  const unsigned histories = number("ENGINE_HISTORIES", 200);
  Counts counts;
  for (unsigned seed = first; seed < first + histories && test::failed == 0; ++seed) {
    History history(seed, test::takes_part(seed) ? database : nullptr);
    bool same = true;
    for (int i = 0; i < kSteps && same; ++i) {
      same = history.step(counts);
      if (!same) std::fprintf(stderr, "step %d with ENGINE_SEED=%u\n", i, seed);
    }
    same = same && history.compare();
    if (!same) std::fprintf(stderr, "with ENGINE_SEED=%u\n", seed);
    CHECK(same);
    ++counts.histories;
  }
  std::printf("engines: %d histories from seed %u on files%s and in memory, %d operations: %s\n", counts.histories,
              first, database ? ", PostgreSQL" : "", counts.operations, list(counts.kinds).c_str());
  std::printf("engines: refusals: %s\n", list(counts.refusals).c_str());
  std::printf("engines: events: %s\n", list(counts.events).c_str());
  return test::report();
}
