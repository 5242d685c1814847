// The lives of a team in PostgreSQL: a life is an advisory lock of the process that has it.
//
// When the process is killed, the server closes its connection and the life has ended. A process on a host that was cut
// off loses its connection after a few seconds, by the keepalives of TCP.
#pragma once

#include <memory>
#include <string>

#include "libteam/store/life.h"
#include "libteam/store/local_files.h"
#include "libteam/store/postgres/database.h"

namespace team {

class PostgresLives : public LifeEngine {
 public:
  // `files` are the files of the team on this machine; null if there is no place for them.
  PostgresLives(std::shared_ptr<const Database> database, std::int64_t team, std::shared_ptr<const LocalFiles> files);

  Life life_of(const std::string& member) const override;
  std::optional<MemberState> state_of(const std::string& member) const override;
  bool has_begun(const std::string& member) const override;
  std::optional<int> process_of(const std::string& member) const override;
  bool is_process_of(int pid, const std::string& member) const override { return process_of(member) == pid; }
  bool is_ending(const std::string&) const override { return false; }

  std::unique_ptr<HeldLife> take(const std::string& member) const override;
  void forget(const std::string& member) const override;

  void exclusively(double seconds, const std::function<void()>& step) const override;
  bool is_idle_period() const override;
  void begin_idle_period() const override { set_idle_period(true); }
  void end_idle_period() const override { set_idle_period(false); }

  std::unique_ptr<Duty> duty(Post post, const std::optional<std::string>& role) const override;
  std::unique_ptr<CallSlots> call_slots() const override;

  // Throws invalid_state if there are none.
  const LocalFiles& local_files() const override;

  std::int64_t team() const { return team_; }
  const std::shared_ptr<const Database>& database() const { return database_; }

 private:
  void put_state(const std::string& member, const MemberState& state) const override;
  void set_idle_period(bool is_set) const;

  std::shared_ptr<const Database> database_;
  std::int64_t team_;
  std::shared_ptr<const LocalFiles> files_;
  // The lives as one question found them, for the rest of the transaction in which it was asked.
  struct Seen {
    std::int64_t transaction = 0;
    std::map<std::string, Life> lives;
  };
  mutable std::mutex mutex_;
  mutable Seen seen_;
};

// The number of the row of a member, which names its life. Makes the row if it is missing.
std::int64_t member_number(const Database& database, std::int64_t team, const std::string& member);

}  // namespace team
