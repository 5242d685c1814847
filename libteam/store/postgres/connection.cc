#include "libteam/store/postgres/connection.h"

#include <poll.h>
#include <postgresql/libpq-fe.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <tuple>
#include <utility>

#include "libteam/base/terminal_text.h"

namespace team {

namespace {

// A dead host is noticed within seconds: by keepalives if nothing is under way, else by the limit for unacknowledged
// data. Keys that the address gives too win, because they come later.
constexpr std::array<std::pair<const char*, const char*>, 9> kDefaults = {{
    {"connect_timeout", "5"},
    {"keepalives_idle", "2"},
    {"keepalives_interval", "1"},
    {"keepalives_count", "3"},
    {"tcp_user_timeout", "5000"},
    {"target_session_attrs", "read-write"},
    {"fallback_application_name", "teamkit"},
    {"client_encoding", "UTF8"},
    {"gssencmode", "disable"},
}};

// The message of libpq in one line, without its "ERROR:" or the name of the connection.
std::string reason_of(const char* message) {
  std::string_view text = message;
  for (const std::string_view prefix : {"ERROR:  ", "FATAL:  "}) {
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  }
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return one_line(text);
}

constexpr const char* kStandbyCanceled = "01000";

}  // namespace

SqlValue sql(const std::vector<std::int64_t>& numbers) {
  std::string text = "{";
  for (const std::int64_t number : numbers) text += (text.size() > 1 ? "," : "") + std::to_string(number);
  return text + "}";
}

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "\\x";
  text.reserve(2 + 2 * bytes.size());
  for (const char byte : bytes) {
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

std::string from_hex(std::string_view text) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 2; i + 1 < text.size(); i += 2)
    bytes += static_cast<char>(digit(text[i]) << 4 | digit(text[i + 1]));
  return bytes;
}

Rows::Rows(pg_result* result) : result_(result, PQclear) {}

int Rows::count() const { return PQntuples(result_.get()); }
bool Rows::is_null(int row, int column) const { return PQgetisnull(result_.get(), row, column) == 1; }

std::string Rows::text(int row, int column) const {
  return {PQgetvalue(result_.get(), row, column), static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

std::optional<std::string> Rows::text_or_none(int row, int column) const {
  return is_null(row, column) ? std::nullopt : std::optional(text(row, column));
}

std::int64_t Rows::number(int row, int column) const {
  const std::string digits = text(row, column);
  std::int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

std::int64_t Rows::changed() const { return std::atoll(PQcmdTuples(result_.get())); }

Connection::Connection(const std::string& address) {
  std::array<const char*, kDefaults.size() + 2> keys{}, values{};
  for (std::size_t i = 0; i < kDefaults.size(); ++i) std::tie(keys[i], values[i]) = kDefaults[i];
  keys[kDefaults.size()] = "dbname";
  values[kDefaults.size()] = address.c_str();
  constexpr int kExpandAddress = 1;
  connection_ = PQconnectdbParams(keys.data(), values.data(), kExpandAddress);
  if (connection_ == nullptr) fail(Code::io, "out of memory");
  if (PQstatus(connection_) != CONNECTION_OK) {
    const std::string reason = reason_of(PQerrorMessage(connection_));
    PQfinish(connection_);
    fail(Code::unavailable, "cannot reach the store: {}", reason);
  }
  PQsetNoticeReceiver(connection_, notice, this);
  PQsetnonblocking(connection_, 1);
}

Connection::~Connection() { PQfinish(connection_); }

void Connection::notice(void* self, const pg_result* result) {
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  if (state == nullptr || text == nullptr || std::strcmp(state, kStandbyCanceled) != 0) return;
  static_cast<Connection*>(self)->standby_warning_ = one_line(text);
}

std::optional<std::string> Connection::take_standby_warning() { return std::exchange(standby_warning_, std::nullopt); }

void Connection::lose() const { throw ConnectionLost(reason_of(PQerrorMessage(connection_))); }

void Connection::wait(short events, const Deadline& deadline) const {
  pollfd waiting{PQsocket(connection_), events, 0};
  while (true) {
    const int ready = ::poll(&waiting, 1, deadline.left_ms());
    if (ready > 0) return;
    if (ready == 0) throw ConnectionLost("the server does not answer");
    if (errno != EINTR) fail_errno("cannot wait for", "the server");
  }
}

void Connection::flush(const Deadline& deadline) {
  while (const int left = PQflush(connection_)) {
    if (left < 0) lose();
    wait(POLLIN | POLLOUT, deadline);
    // The server may have to send before it can receive.
    if (PQconsumeInput(connection_) == 0) lose();
  }
}

// Null after the last result of a statement.
pg_result* Connection::next_result(const Deadline& deadline) {
  while (PQisBusy(connection_) == 1) {
    wait(POLLIN, deadline);
    if (PQconsumeInput(connection_) == 0) lose();
  }
  return PQgetResult(connection_);
}

// Without its flush.
void Connection::post(const Statement& statement) {
  std::vector<const char*> values;
  for (const SqlValue& value : statement.values) values.push_back(value ? value->c_str() : nullptr);
  if (PQsendQueryParams(connection_, statement.text.c_str(), static_cast<int>(values.size()), nullptr, values.data(),
                        nullptr, nullptr, 0) == 0) {
    lose();
  }
}

std::vector<Rows> Connection::run_all(const std::vector<Statement>& statements, const Deadline& deadline) {
  if (PQenterPipelineMode(connection_) == 0) lose();
  for (const Statement& statement : statements) post(statement);
  if (PQpipelineSync(connection_) == 0) lose();
  flush(deadline);
  std::vector<Rows> answers;
  std::optional<SqlError> refused;
  while (true) {
    pg_result* const result = next_result(deadline);
    if (result == nullptr) {
      if (PQstatus(connection_) != CONNECTION_OK) lose();
      continue;  // the end of one statement
    }
    Rows rows(result);
    switch (PQresultStatus(result)) {
      case PGRES_PIPELINE_SYNC:
        if (PQexitPipelineMode(connection_) == 0) lose();
        if (refused) throw *refused;
        return answers;
      case PGRES_TUPLES_OK:
      case PGRES_COMMAND_OK: answers.push_back(std::move(rows)); break;
      case PGRES_PIPELINE_ABORTED: break;
      default: {
        const char* const state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
        if (state == nullptr || PQstatus(connection_) != CONNECTION_OK) lose();
        refused = SqlError(state, reason_of(PQresultErrorMessage(result)));
      }
    }
  }
}

void Connection::send(const Statement& statement) {
  post(statement);
  flush(Deadline::in(5));
}

bool Connection::has_answer() {
  if (PQconsumeInput(connection_) == 0) lose();
  if (PQisBusy(connection_) == 1) return false;
  while (pg_result* const result = next_result(Deadline::in(5))) {
    const Rows rows(result);
    const auto status = PQresultStatus(result);
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) continue;
    const char* const state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    if (state == nullptr) lose();
    throw SqlError(state, reason_of(PQresultErrorMessage(result)));
  }
  return true;
}

int Connection::socket() const { return PQsocket(connection_); }

std::vector<std::string> Connection::hear() {
  if (PQconsumeInput(connection_) == 0) lose();
  std::vector<std::string> heard;
  while (PGnotify* const one = PQnotifies(connection_)) {
    heard.emplace_back(one->extra);
    PQfreemem(one);
  }
  return heard;
}

bool Connection::is_in_transaction() const { return PQtransactionStatus(connection_) != PQTRANS_IDLE; }

}  // namespace team
