#include "libteam/store/postgres/postgres_board.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "libteam/base/json_text.h"
#include "libteam/record/task_rules.h"

namespace team {

namespace {

Task to_task(const Rows& rows, int row) {
  const TaskId id = rows.number(row, 0);
  return parse_task(rows.text(row, 1), id, fmt::format("task {}", id));
}

std::vector<TaskId> to_ids(const Rows& rows) {
  std::vector<TaskId> ids;
  for (int row = 0; row < rows.count(); ++row) ids.push_back(rows.number(row, 0));
  return ids;
}

std::int64_t lease_end_of(const Task& task) {
  return task.lease ? static_cast<std::int64_t>(task.lease->until * 1e9) : 0;
}

// The columns of a task, as one object for json_to_recordset.
std::string columns_of(const Task& task) {
  JsonText columns;
  columns.add("id", task.id);
  columns.add("status", static_cast<int>(task.status));
  columns.add("priority", task.priority);
  columns.add("role", task.role);
  columns.add("owner", task.owner);
  columns.add("lease_end", lease_end_of(task));
  columns.add("body", to_file(task));
  columns.add("blocked_by", task.blocked_by);
  return columns.take();
}

constexpr const char* kRecord =
    "json_to_recordset($2) as x (id bigint, status smallint, priority smallint, role text, owner text,"
    " lease_end bigint, body text, blocked_by json)";

// Whether the blockers of task t, which has this id, are all completed.
constexpr const char* kUnblocked =
    "not exists (select from deps d left join tasks b on b.board = d.board and b.id = d.blocker"
    " where d.board = t.board and d.task = t.id and b.status is distinct from 2)";

}  // namespace

class PostgresBoard::BoardStep : public BoardTransaction {
 public:
  BoardStep(PostgresBoard& board, Transaction& transaction) : board_(board), transaction_(transaction) {
    const Rows rows = ask("select lastid, count, highest_blocker from boards where no = $1 for no key update");
    if (rows.empty()) fail(Code::not_found, "the board '{}' was removed", board_.path_);
    last_id_ = rows.number(0, 0);
    count_ = rows.number(0, 1);
    highest_blocker_ = rows.number(0, 2);
  }

  TaskId last_id() const { return last_id_; }

  std::optional<Task> find(TaskId id) override {
    const Rows rows = ask("select id, body from tasks where board = $1 and id = $2", {sql(id)});
    if (rows.empty()) return std::nullopt;
    return remember(to_task(rows, 0));
  }
  bool exists(TaskId id) override { return !ask("select from tasks where board = $1 and id = $2", {sql(id)}).empty(); }
  std::int64_t count() override { return count_; }
  TaskId highest_blocker() override { return highest_blocker_; }

  std::optional<Task> first_ready(const std::string& member, const std::optional<std::string>& role,
                                  Search /*search*/) override {
    // One search in an index for each kind of task that the member may take.
    const Rows rows =
        ask("(select id, body, priority, true as own from tasks where board = $1 and ready and owner = $2"
            "  order by priority desc, id limit 1)"
            " union all (select id, body, priority, false from tasks where board = $1 and ready and owner is null"
            "  and role is null order by priority desc, id limit 1)"
            " union all (select id, body, priority, false from tasks where board = $1 and ready and owner is null"
            "  and role = $3 order by priority desc, id limit 1)"
            " order by own desc, priority desc, id limit 1",
            {member, role});
    if (rows.empty()) return std::nullopt;
    return remember(to_task(rows, 0));
  }

  bool has_ready_of(const std::string& member) override {
    return ask("select exists (select from tasks where board = $1 and ready and owner = $2)", {member}).flag(0, 0);
  }

  std::vector<RunningTask> running() override {
    const Rows rows = ask("select id, owner, lease_end from tasks where board = $1 and status = 1 order by id");
    std::vector<RunningTask> all;
    for (int row = 0; row < rows.count(); ++row) {
      all.push_back({rows.number(row, 0), hash_name(rows.text(row, 1)), rows.number(row, 2)});
    }
    return all;
  }

  std::vector<TaskId> open_blockers(const Task& task) override {
    if (task.blocked_by.empty()) return {};
    const auto completed =
        to_ids(ask("select id from tasks where board = $1 and status = 2 and id = any($2)", {sql(task.blocked_by)}));
    std::vector<TaskId> open = task.blocked_by;
    std::erase_if(open, [&](TaskId id) { return has_id(completed, id); });
    return open;
  }

  std::vector<TaskId> waiting_for(TaskId id) override {
    return to_ids(
        ask("select t.id from deps d join tasks t on t.board = d.board and t.id = d.task"
            " where d.board = $1 and d.blocker = $2 and t.status <> 2 order by t.id",
            {sql(id)}));
  }

  bool reaches(const std::vector<TaskId>& from, TaskId target) override {
    return ask("with recursive reached (id) as (select unnest($2::bigint[])"
               " union select d.blocker from reached r join deps d on d.board = $1 and d.task = r.id)"
               " select exists (select from reached where id = $3)",
               {sql(from), sql(target)})
        .flag(0, 0);
  }

  std::vector<TaskId> put(const Task& task) override {
    const auto found = read_.find(task.id);
    if (found == read_.end()) throw std::out_of_range("a task is put that was not read");
    const Task before = std::exchange(found->second, task);
    write({task}, {before});
    if ((task.status == Status::completed) == (before.status == Status::completed)) return {};
    return update_dependents({task.id});
  }

  void remove(TaskId id) override {
    later("delete from deps where board = $1 and task = $2", {sql(id)});
    later("delete from tasks where board = $1 and id = $2", {sql(id)});
    --count_;
    is_changed_ = true;
    topic(id);
    update_dependents({id});
  }

  Logged record(const EventOrigin& origin, const std::vector<Event>& events) override {
    return board_.record_ ? board_.record_(transaction_, origin, events) : Logged{};
  }

  // Adds new tasks.
  void add(const std::vector<Task>& tasks) {
    write(tasks, {});
    count_ += static_cast<std::int64_t>(tasks.size());
    last_id_ = tasks.back().id;
  }

  // Stores what changed of the board itself. Nothing follows.
  void end() {
    if (!is_changed_) return;
    later("update boards set lastid = $2, count = $3, highest_blocker = $4, version = version + 1 where no = $1",
          {sql(last_id_), sql(count_), sql(highest_blocker_)});
  }

 private:
  Task remember(Task task) { return read_[task.id] = std::move(task); }
  SqlValues with_board(SqlValues values) const {
    values.insert(values.begin(), sql(board_.number_));
    return values;
  }
  Rows ask(std::string text, SqlValues values = {}) {
    return transaction_.ask(std::move(text), with_board(std::move(values)));
  }
  void later(std::string text, SqlValues values = {}) {
    transaction_.later(std::move(text), with_board(std::move(values)));
  }
  void topic(TaskId id) { transaction_.announce(fmt::format("task {} {}", board_.number_, id)); }

  // Writes tasks whose old versions are `before`, or new ones.
  void write(const std::vector<Task>& tasks, const std::vector<Task>& before) {
    constexpr std::size_t kMostTopics = 100;
    std::vector<std::string> columns;
    std::vector<TaskId> ids;
    bool has_blockers = false;
    for (const Task& task : tasks) {
      columns.push_back(columns_of(task));
      ids.push_back(task.id);
      has_blockers = has_blockers || !task.blocked_by.empty();
      for (const TaskId blocker : task.blocked_by) highest_blocker_ = std::max(highest_blocker_, blocker);
      if (tasks.size() <= kMostTopics) topic(task.id);
    }
    if (tasks.size() > kMostTopics) topic(0);
    const std::string all = json_array(columns);
    later(fmt::format("insert into tasks (board, id, status, priority, role, owner, ready, lease_end, body)"
                      " select $1::int, id, status, priority, role, owner, false, lease_end, body::json from {}"
                      " on conflict (board, id) do update set status = excluded.status, priority = excluded.priority,"
                      " role = excluded.role, owner = excluded.owner, lease_end = excluded.lease_end,"
                      " body = excluded.body",
                      kRecord),
          {all});
    const bool same_blockers = before.size() == 1 && before[0].blocked_by == tasks[0].blocked_by;
    if (!same_blockers && !before.empty()) {
      later("delete from deps where board = $1 and task = any($2::bigint[])", {sql(ids)});
    }
    if (!same_blockers && has_blockers) {
      later(fmt::format("insert into deps (board, blocker, task) select $1::int, value::bigint, id"
                        " from {}, json_array_elements_text(blocked_by) on conflict do nothing",
                        kRecord),
            {all});
    }
    later(fmt::format("update tasks t set ready = status = 0 and {0} where board = $1 and id = any($2::bigint[])"
                      " and ready is distinct from (status = 0 and {0})",
                      kUnblocked),
          {sql(ids)});
    is_changed_ = true;
  }

  // After the end of these tasks, or the end of their completion: returns the tasks that became ready, in order.
  std::vector<TaskId> update_dependents(const std::vector<TaskId>& blockers) {
    const Rows rows =
        ask(fmt::format("with changed as (update tasks t set ready = not ready where board = $1 and status = 0"
                        " and id = any (array (select task from deps where board = $1 and blocker = any($2::bigint[])))"
                        " and ready is distinct from {} returning id, ready)"
                        " select id from changed where ready order by id",
                        kUnblocked),
            {sql(blockers)});
    const std::vector<TaskId> freed = to_ids(rows);
    for (const TaskId id : freed) topic(id);
    return freed;
  }

  PostgresBoard& board_;
  Transaction& transaction_;
  std::map<TaskId, Task> read_;
  TaskId last_id_ = 0, highest_blocker_ = 0;
  std::int64_t count_ = 0;
  bool is_changed_ = false;
};

PostgresBoard::PostgresBoard(std::shared_ptr<const Database> database, std::string path, std::int64_t number,
                             Record record)
    : database_(std::move(database)), path_(std::move(path)), number_(number), record_(std::move(record)) {}

std::optional<std::int64_t> PostgresBoard::find_board(const Database& database, const std::string& path) {
  const Rows rows = database.ask("select no from boards where path = $1", {path});
  return rows.empty() ? std::nullopt : std::optional(rows.number(0, 0));
}

std::int64_t PostgresBoard::make_board(const Database& database, const std::string& path) {
  if (const auto found = find_board(database, path)) return *found;
  database.transact([&](Transaction& transaction) {
    transaction.later("insert into boards (path) values ($1) on conflict do nothing", {path});
  });
  return find_board(database, path).value();
}

void PostgresBoard::transact(BoardScope /*scope*/, const Step& step) {
  database_->transact([&](Transaction& transaction) {
    BoardStep running(*this, transaction);
    try {
      step(running);
    } catch (const Error&) {
      running.end();
      throw;
    }
    running.end();
  });
}

void PostgresBoard::insert(const Insertion& insertion) {
  database_->transact([&](Transaction& transaction) {
    BoardStep running(*this, transaction);
    const std::vector<Task> tasks = insertion.make(running.last_id() + 1);
    insertion.check(running, tasks);
    running.add(tasks);
    insertion.inserted(running, tasks);
    running.end();
  });
}

std::optional<Task> PostgresBoard::find(TaskId id) const {
  const Rows rows = database_->ask("select id, body from tasks where board = $1 and id = $2", {sql(number_), sql(id)});
  return rows.empty() ? std::nullopt : std::optional(to_task(rows, 0));
}

std::vector<TaskId> PostgresBoard::ids() const {
  return to_ids(database_->ask("select id from tasks where board = $1 order by id", {sql(number_)}));
}

std::vector<TaskId> PostgresBoard::dependents(TaskId id) const {
  return to_ids(
      database_->ask("select task from deps where board = $1 and blocker = $2 order by task", {sql(number_), sql(id)}));
}

std::int64_t PostgresBoard::version() const {
  const Rows rows = database_->ask("select version from boards where no = $1", {sql(number_)});
  return rows.empty() ? -1 : rows.number(0, 0);
}

BoardEngine::Place PostgresBoard::reopen() {
  const auto found = find_board(*database_, path_);
  if (!found) return Place::missing;
  if (*found == number_) return Place::same;
  number_ = *found;
  return Place::another;
}

}  // namespace team
