// A connection to a PostgreSQL server. Its .cc is the only file that knows libpq.
//
// Several statements go to the server in one message, so a transaction costs one round trip for each question that it
// asks, and not for each statement. One thread uses a connection.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/base/clock.h"
#include "libteam/base/error.h"

struct pg_conn;
struct pg_result;

namespace team {

// The server ended the connection, or did not answer in time. If that happens in a commit, nobody knows whether the
// commit was made.
class ConnectionLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The server refused a statement; see "PostgreSQL Error Codes" for the states.
class SqlError : public std::runtime_error {
 public:
  SqlError(std::string state, const std::string& text) : std::runtime_error(text), state_(std::move(state)) {}
  bool is(std::string_view state) const { return state_ == state; }
  // Such as "53", insufficient resources.
  bool is_of_class(std::string_view two) const { return std::string_view(state_).substr(0, 2) == two; }

 private:
  std::string state_;
};

// $1, $2, … of a statement, as text; none is NULL.
using SqlValue = std::optional<std::string>;
using SqlValues = std::vector<SqlValue>;

inline SqlValue sql(std::int64_t number) { return std::to_string(number); }
inline SqlValue sql(bool value) { return value ? "t" : "f"; }
// An array.
SqlValue sql(const std::vector<std::int64_t>& numbers);

// Bytes as text of the type bytea, and back.
std::string to_hex(std::string_view bytes);
std::string from_hex(std::string_view text);

struct Statement {
  std::string text;
  SqlValues values;
};

// The answer to one statement.
class Rows {
 public:
  explicit Rows(pg_result* result);

  int count() const;
  bool empty() const { return count() == 0; }
  bool is_null(int row, int column) const;
  // Empty for NULL.
  std::string text(int row, int column) const;
  std::optional<std::string> text_or_none(int row, int column) const;
  std::int64_t number(int row, int column) const;
  bool flag(int row, int column) const { return text(row, column) == "t"; }
  // The number of rows that an update, an insert or a delete changed.
  std::int64_t changed() const;

 private:
  std::shared_ptr<pg_result> result_;
};

class Connection {
 public:
  // `address` is a connection string or URL of libpq. Throws unavailable if no server answers within a few seconds.
  explicit Connection(const std::string& address);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  // Runs the statements in one message and returns their answers. Outside a transaction the message is one. Throws
  // SqlError for the first that is refused: then the following are not run. Throws ConnectionLost if the answer does
  // not come by the deadline.
  std::vector<Rows> run_all(const std::vector<Statement>& statements, const Deadline& deadline);
  Rows run(const Statement& statement, const Deadline& deadline) { return run_all({statement}, deadline).front(); }

  // Sends a statement whose answer may take long, such as waiting for a lock. The socket becomes readable when it
  // comes; then has_answer() is true. No other statement runs meanwhile.
  void send(const Statement& statement);
  bool has_answer();

  // The descriptor to wait for, and what LISTEN has heard since the last call. hear() throws ConnectionLost.
  int socket() const;
  std::vector<std::string> hear();

  // True between BEGIN and its end.
  bool is_in_transaction() const;
  // A warning of the server that says that a commit is not on its standby; none, or the last one since the last call.
  std::optional<std::string> take_standby_warning();

 private:
  void post(const Statement& statement);
  void flush(const Deadline& deadline);
  pg_result* next_result(const Deadline& deadline);
  void wait(short events, const Deadline& deadline) const;
  [[noreturn]] void lose() const;
  static void notice(void* self, const pg_result* result);

  pg_conn* connection_;
  std::optional<std::string> standby_warning_;
};

}  // namespace team
