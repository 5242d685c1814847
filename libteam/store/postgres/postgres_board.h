// A board in PostgreSQL.
//
// The lock of the board's row is what flock is to files: one transaction of a board runs at a time, and readers do not
// wait. A step sends its changes together with its next question or with the commit.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "libteam/store/board_engine.h"
#include "libteam/store/postgres/database.h"

namespace team {

class PostgresBoard : public BoardEngine {
 public:
  // Writes the events of a change, as a part of its transaction.
  using Record = std::function<Logged(Transaction&, const EventOrigin&, const std::vector<Event>&)>;

  // `number` is that of the board's row. Without a team, `record` is empty.
  PostgresBoard(std::shared_ptr<const Database> database, std::string path, std::int64_t number, Record record);

  std::int64_t number() const { return number_; }

  // The number of the board with this path; none if there is none.
  static std::optional<std::int64_t> find_board(const Database& database, const std::string& path);
  // The same; makes the board if it is missing.
  static std::int64_t make_board(const Database& database, const std::string& path);

  void transact(BoardScope scope, const Step& step) override;
  void insert(const Insertion& insertion) override;

  std::optional<Task> find(TaskId id) const override;
  std::vector<TaskId> ids() const override;
  std::vector<TaskId> dependents(TaskId id) const override;
  void settle() const override {}
  std::int64_t version() const override;
  std::string path_of(TaskId) const override { return {}; }
  std::string path() const override { return path_; }
  bool is_in_place() const override { return find_board(*database_, path_) == number_; }
  Place reopen() override;

 private:
  class BoardStep;

  std::shared_ptr<const Database> database_;
  std::string path_;
  std::int64_t number_;
  Record record_;
};

}  // namespace team
