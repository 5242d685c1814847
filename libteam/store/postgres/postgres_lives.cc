#include "libteam/store/postgres/postgres_lives.h"

#include <unistd.h>

#include <algorithm>

#include "libteam/store/postgres/advisory_lock.h"
#include "libteam/store/postgres/change_listener.h"
#include "libteam/store/watcher.h"

namespace team {

namespace {

constexpr double kTakingTime = 0.3;  // a process that waits for the end of a life has its lock for a moment

// Tells processes apart that see each other by their pids: the boot of a machine and the namespace of the pids.
std::string place_of_processes() {
  char space[64] = {};
  if (::readlink("/proc/self/ns/pid", space, sizeof space - 1) < 0) return {};
  return boot_id() + " " + space;
}

void write_state(const Database& database, std::int64_t team, const std::string& member, const MemberState& state) {
  database.transact([&](Transaction& transaction) {
    transaction.later(
        "insert into members (team, name, state) values ($1, $2, $3)"
        " on conflict (team, name) do update set state = excluded.state",
        {sql(team), member, to_file(state)});
    transaction.announce(fmt::format("state {} {}", team, member));
  });
}

class PostgresLife : public HeldLife {
 public:
  PostgresLife(const PostgresLives& lives, std::string member) : member_(std::move(member)) {
    begin(lives);
    try {
      before_ = lives.state_of(member_);
    } catch (const Error& error) {
      if (error.code() != Code::corrupt) throw;  // it only tells of the past
    }
  }
  PostgresLife(const PostgresLife&) = delete;
  PostgresLife& operator=(const PostgresLife&) = delete;
  ~PostgresLife() override {
    lock_.reset();
    announce();
  }

  const std::optional<MemberState>& before() const override { return before_; }
  void write(const MemberState& state) override { write_state(*database_, team_, member_, state); }
  bool is_in_place() const override { return !database_->ask("select from teams where no = $1", {sql(team_)}).empty(); }
  void move_to(const LifeEngine& team) override {
    const std::unique_ptr<AdvisoryLock> old = std::move(lock_);
    begin(dynamic_cast<const PostgresLives&>(team));
  }

 private:
  void begin(const PostgresLives& lives) {
    const std::int64_t number = member_number(*lives.database(), lives.team(), member_);
    auto lock = std::make_unique<AdvisoryLock>(lives.database(), LockName{"members", number});
    const Deadline deadline = Deadline::in(kTakingTime);
    while (!lock->take()) {
      if (deadline.passed()) {
        const auto pid = lives.process_of(member_);
        fail(Code::conflict, "{} is running already{}", member_, pid ? fmt::format(", as pid {}", *pid) : "");
      }
      sleep_until(Deadline::in(0.02));
    }
    lock_ = std::move(lock);
    database_ = lives.database();
    team_ = lives.team();
    database_->ask("update members set host = $2, pid = $3 where no = $1",
                   {sql(number), place_of_processes(), sql(std::int64_t{::getpid()})});
    announce();
  }
  void announce() const {
    try {
      database_->transact(
          [&](Transaction& transaction) { transaction.announce(fmt::format("life {} {}", team_, member_)); });
    } catch (const std::exception&) {
      // The others notice the end by the lock.
    }
  }

  std::string member_;
  std::shared_ptr<const Database> database_;
  std::int64_t team_ = 0;
  std::unique_ptr<AdvisoryLock> lock_;
  std::optional<MemberState> before_;
};

class PostgresDuty : public Duty {
 public:
  explicit PostgresDuty(AdvisoryLock lock) : lock_(std::move(lock)) {}
  bool take() override { return lock_.take(); }
  bool take_or_queue() override { return lock_.take_or_queue(); }
  void wake(Watcher& watcher) const override { watcher.wake_on(lock_.descriptor()); }
  void leave() override { lock_.release(); }

 private:
  AdvisoryLock lock_;
};

class PostgresCallSlots : public CallSlots {
 public:
  PostgresCallSlots(std::shared_ptr<const Database> database, std::int64_t team)
      : database_(std::move(database)), team_(team) {}

  std::unique_ptr<Slot> try_take(std::int64_t count) const override {
    database_->ask(
        "insert into call_slots (team, place) select $1::int, generate_series(1, $2::int)"
        " on conflict do nothing",
        {sql(team_), sql(count)});
    const Rows free = database_->ask("select no from call_slots where team = $1 and place <= $2 and not " +
                                         is_locked("call_slots", "no") + " order by place",
                                     {sql(team_), sql(count)});
    for (int row = 0; row < free.count(); ++row) {
      AdvisoryLock lock(database_, {"call_slots", free.number(row, 0)});
      if (lock.take()) return std::make_unique<Taken>(database_, team_, std::move(lock));
    }
    return nullptr;
  }
  std::unique_ptr<Queue> queue(int interrupt) const override {
    return std::make_unique<Waiting>(database_, fmt::format("slots {}", team_), interrupt);
  }
  double paused_until() const override {
    const Rows rows = database_->ask("select paused_until from teams where no = $1", {sql(team_)});
    return rows.empty() ? 0 : std::strtod(rows.text(0, 0).c_str(), nullptr);
  }
  void pause_until(double time) const override {
    database_->ask("update teams set paused_until = $2 where no = $1", {sql(team_), fmt::format("{}", time)});
  }

 private:
  struct Taken : Slot {
    Taken(std::shared_ptr<const Database> database, std::int64_t team, AdvisoryLock lock)
        : database_(std::move(database)), team_(team), lock_(std::move(lock)) {}
    ~Taken() override {
      lock_.release();
      try {
        database_->transact([&](Transaction& transaction) { transaction.announce(fmt::format("slots {}", team_)); });
      } catch (const std::exception&) {
        // Waiting members look again after a second.
      }
    }
    std::shared_ptr<const Database> database_;
    std::int64_t team_;
    AdvisoryLock lock_;
  };
  struct Waiting : Queue {
    Waiting(std::shared_ptr<const Database> database, std::string topic, int interrupt)
        : listener_(std::move(database)), topic_(std::move(topic)) {
      if (interrupt >= 0) descriptors_.push_back(interrupt);
    }
    void wait() override {
      const Deadline deadline = Deadline::in(1);
      while (true) {
        const auto heard = listener_.wait(deadline, descriptors_);
        const bool fits = std::find(heard.topics.begin(), heard.topics.end(), topic_) != heard.topics.end();
        if (!heard.any() || heard.everything || heard.woken || fits) return;
      }
    }
    ChangeListener listener_;
    std::string topic_;
    std::vector<int> descriptors_;
  };

  std::shared_ptr<const Database> database_;
  std::int64_t team_;
};

}  // namespace

std::int64_t member_number(const Database& database, std::int64_t team, const std::string& member) {
  const Statement look{"select no from members where team = $1 and name = $2", {sql(team), member}};
  const Rows rows = database.ask_all({look}).front();
  if (!rows.empty()) return rows.number(0, 0);
  database.ask(
      "insert into members (team, name) select $1::int, $2 where exists (select from teams where no = $1::int)"
      " on conflict do nothing",
      {sql(team), member});
  const Rows made = database.ask_all({look}).front();
  if (made.empty()) fail(Code::not_found, "the team was removed");
  return made.number(0, 0);
}

PostgresLives::PostgresLives(std::shared_ptr<const Database> database, std::int64_t team,
                             std::shared_ptr<const LocalFiles> files)
    : database_(std::move(database)), team_(team), files_(std::move(files)) {}

Life PostgresLives::life_of(const std::string& member) const {
  const std::int64_t transaction = database_->running_transaction();
  const std::lock_guard lock(mutex_);
  if (transaction == 0 || transaction != seen_.transaction) {
    const Rows rows =
        database_->ask("select name, " + is_locked("members", "no") + " from members where team = $1", {sql(team_)});
    seen_ = {transaction, {}};
    for (int row = 0; row < rows.count(); ++row) {
      seen_.lives[rows.text(row, 0)] = rows.flag(row, 1) ? Life::running : Life::dead;
    }
  }
  const auto found = seen_.lives.find(member);
  return found != seen_.lives.end() ? found->second : Life::unknown;
}

std::optional<MemberState> PostgresLives::state_of(const std::string& member) const {
  const Rows rows = database_->ask("select state from members where team = $1 and name = $2", {sql(team_), member});
  if (rows.empty() || rows.is_null(0, 0)) return std::nullopt;
  return parse_member_state(rows.text(0, 0), "the state of " + member);
}

bool PostgresLives::has_begun(const std::string& member) const {
  return !database_
              ->ask("select from members where team = $1 and name = $2 and state is not null", {sql(team_), member})
              .empty();
}

std::optional<int> PostgresLives::process_of(const std::string& member) const {
  const Rows rows =
      database_->ask("select host, pid from members where team = $1 and name = $2 and " + is_locked("members", "no"),
                     {sql(team_), member});
  if (rows.empty() || rows.is_null(0, 1) || rows.text(0, 0) != place_of_processes()) return std::nullopt;
  return static_cast<int>(rows.number(0, 1));
}

std::unique_ptr<HeldLife> PostgresLives::take(const std::string& member) const {
  return std::make_unique<PostgresLife>(*this, member);
}

void PostgresLives::put_state(const std::string& member, const MemberState& state) const {
  write_state(*database_, team_, member, state);
}

void PostgresLives::forget(const std::string& member) const {
  database_->ask("delete from members where team = $1 and name = $2", {sql(team_), member});
}

void PostgresLives::exclusively(double seconds, const std::function<void()>& step) const {
  database_->transact([&](Transaction& transaction) {
    transaction.later(fmt::format("set local lock_timeout = '{}ms'", static_cast<std::int64_t>(seconds * 1000)));
    transaction.ask("select pg_advisory_xact_lock('teams'::regclass::oid::int, $1)", {sql(team_)});
    step();
  });
}

bool PostgresLives::is_idle_period() const {
  const Rows rows = database_->ask("select idle_period from teams where no = $1", {sql(team_)});
  return !rows.empty() && rows.flag(0, 0);
}

void PostgresLives::set_idle_period(bool is_set) const {
  database_->ask("update teams set idle_period = $2 where no = $1", {sql(team_), sql(is_set)});
}

std::unique_ptr<Duty> PostgresLives::duty(Post post, const std::optional<std::string>& role) const {
  const std::string name = (post == Post::lookout ? "lookout " : "deputy ") + role.value_or("");
  database_->ask("insert into duties (team, name) values ($1, $2) on conflict do nothing", {sql(team_), name});
  const Rows rows = database_->ask("select no from duties where team = $1 and name = $2", {sql(team_), name});
  if (rows.empty()) fail(Code::not_found, "the team was removed");
  return std::make_unique<PostgresDuty>(AdvisoryLock(database_, {"duties", rows.number(0, 0)}));
}

std::unique_ptr<CallSlots> PostgresLives::call_slots() const {
  return std::make_unique<PostgresCallSlots>(database_, team_);
}

const LocalFiles& PostgresLives::local_files() const {
  if (!files_) fail(Code::invalid_state, "this store has no folder on this machine");
  return *files_;
}

}  // namespace team
