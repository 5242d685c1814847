// The connections to PostgreSQL: transactions that happen once although a connection is lost, locks that end with a
// process, and waiting. Without TEAMKIT_POSTGRES, the address of a server for tests, nothing is tested.
#include <cstdlib>
#include <thread>

#include "libteam/store/postgres/advisory_lock.h"
#include "libteam/store/postgres/change_listener.h"
#include "libteam/store/postgres/postgres_board.h"
#include "libteam/store/team_session.h"
#include "tests/unit/check.h"
#include "tests/unit/postgres.h"
#include "tests/unit/store.h"

using namespace team;

namespace {

// The server ends all other connections to the schema, as if their network were cut.
void cut_connections(const Database& other) {
  other.ask(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'teamkit'"
      " and pid <> pg_backend_pid() and datname = current_database()");
}

std::optional<Code> code_of(const std::function<void()>& call) {
  try {
    call();
    return std::nullopt;
  } catch (const Error& error) {
    return error.code();
  }
}

// The first two tries of a transaction lose their connection. It is made once, and its hooks hear of it once.
void repeats_lost_transactions(const test::TestSchema& schema, const Database& other) {
  const auto number = PostgresBoard::make_board(*schema.database, "repeated");
  int tries = 0;
  std::int64_t events = 0;
  const auto record = [&](Transaction&, const EventOrigin&, const std::vector<Event>&) {
    if (++tries < 3) cut_connections(other);
    return Logged{++events, 0};
  };
  const auto engine = std::make_shared<PostgresBoard>(schema.database, "repeated", number, record);
  Board board(engine, std::make_shared<BoardTeam>(), {});
  const auto ids = board.create({test::draft("one")}, {});
  CHECK(tries == 3);
  CHECK(ids.size() == 1 && board.view().ids() == ids);
  CHECK(board.create({test::draft("two")}, {}) == std::vector<TaskId>{2});
}

// The commit was made, but its answer is lost: the operation is known, and is not made again.
void makes_committed_changes_once(const test::TestSchema& schema) {
  const Database& database = *schema.database;
  database.ask("create table counts (n int)");
  database.ask("insert into counts values (0)");
  int tries = 0;
  database.transact([&](Transaction& transaction) {
    if (++tries == 1) {
      transaction.later("update counts set n = n + 1");
      transaction.later("commit");  // and the server ends the connection before it answers
      transaction.later("select pg_terminate_backend(pg_backend_pid())");
    } else {
      transaction.later("update counts set n = n + 10");
    }
  });
  CHECK(tries == 1);
  CHECK(database.ask("select n from counts").number(0, 0) == 1);
}

void refuses_a_board_that_is_not_free(const test::TestSchema& schema, const Database& impatient) {
  const auto number = PostgresBoard::make_board(*schema.database, "busy");
  std::optional<Code> code;
  schema.database->transact([&](Transaction& transaction) {
    transaction.ask("select from boards where no = $1 for no key update", {sql(number)});
    PostgresBoard board(std::make_shared<Database>(impatient.address(), impatient.schema(), 0.05), "busy", number, {});
    code = code_of([&] { board.transact(BoardScope::board, [](BoardTransaction&) {}); });
  });
  CHECK(code == Code::again);
}

// A life ends with its connection, and a watcher of it wakes.
void notices_the_end_of_a_life(const test::TestSchema& schema, const std::shared_ptr<const Database>& other) {
  const test::TestStore store;
  const auto engine = test::open_store(schema.database), elsewhere = test::open_store(other);
  engine->create(store.team, nullptr);
  const auto lives = engine->open_lives("alpha");
  const auto life = elsewhere->open_lives("alpha")->take("ann");
  CHECK(lives->life_of("ann") == Life::running && lives->life_of("bob") == Life::unknown);
  CHECK(code_of([&] { lives->take("ann"); }) == Code::conflict);
  const auto watcher = engine->make_watcher();
  const Board board = engine->open_board(&store.team, Missing::make);
  watcher->begin(board);
  watcher->watch_life("ann");
  watcher->wait(Deadline::in(0));
  schema.database->ask(
      "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted"
      " and classid = 'members'::regclass::oid and mode = 'ExclusiveLock'");
  const auto changes = watcher->wait(Deadline::in(20));
  CHECK(changes.lives == std::vector<std::string>{"ann"});
  CHECK(lives->life_of("ann") == Life::dead);
}

void wakes_for_changes_of_others(const test::TestSchema& schema, const std::shared_ptr<const Database>& other) {
  ChangeListener listener(other);
  schema.database->transact([](Transaction& transaction) { transaction.announce("task 7 8"); });
  CHECK(listener.wait(Deadline::in(20), {}).topics == std::vector<std::string>{"task 7 8"});
  cut_connections(*schema.database);
  CHECK(listener.wait(Deadline::in(20), {}).everything);
  CHECK(!listener.wait(Deadline::in(0), {}).any());
}

}  // namespace

int main() {
  const test::TestSchema schema;
  if (!schema.database) {
    std::puts("no server: TEAMKIT_POSTGRES is not set");
    return test::report();
  }
  const auto other = std::make_shared<Database>(schema.database->address(), schema.database->schema(), 5);
  repeats_lost_transactions(schema, *other);
  makes_committed_changes_once(schema);
  refuses_a_board_that_is_not_free(schema, *other);
  notices_the_end_of_a_life(schema, other);
  wakes_for_changes_of_others(schema, other);
  CHECK(code_of([&] { Connection("host=/nonexistent"); }) == Code::unavailable);
  CHECK(code_of([&] { Database(schema.database->address(), "nothing_here", 5).check_version(); }) == Code::not_found);
  return test::report();
}
