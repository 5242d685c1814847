// The mail of one member in PostgreSQL.
//
// A reader holds an advisory lock for each batch that it has. If it dies, the lock goes with its connection, and the
// batch counts as given back. A hold ends by the clock of the server.
#pragma once

#include <memory>
#include <string>

#include "libteam/store/mailbox.h"
#include "libteam/store/postgres/database.h"
#include "libteam/store/team_engine.h"

namespace team {

class PostgresMailbox : public Mailbox {
 public:
  PostgresMailbox(std::shared_ptr<const Database> database, std::int64_t team, std::string owner);

  void append(const std::vector<Message>& messages) const override;
  std::unique_ptr<Batch> take(const MessageFilter& filter, std::size_t most,
                              const std::optional<std::string>& run) const override;
  void peek(const MessageFilter& filter, std::size_t most, const std::optional<std::string>& run,
            const std::function<void(const Message&)>& visit) const override;
  std::vector<Message> acknowledge(const std::vector<std::string>& ids) const override;
  MessageState state_of(const std::string& id) const override;
  Waited wait(const Deadline& deadline, int reader, const std::function<bool()>& arrived) const override;
  bool has_new() const override;
  void nudge() const override;
  bool has_body(const Message& message) const override;
  void each_body_piece(const Message& message, const std::function<void(std::string_view)>& visit) const override;

 private:
  std::int64_t lock(Transaction& transaction) const;
  void announce(Transaction& transaction) const;
  std::vector<Message> to_messages(const Rows& rows, int column) const;

  std::shared_ptr<const Database> database_;
  std::int64_t team_;
  std::string owner_;
};

// The content of a large message, in pieces of a megabyte.
class PostgresBodyWriter : public BodyWriter {
 public:
  PostgresBodyWriter(std::shared_ptr<const Database> database, std::int64_t team);

  void append(std::string_view piece) override;
  void publish(const std::vector<std::string>& ids) override;
  void discard(const std::vector<std::string>& ids) override;

 private:
  void flush();

  std::shared_ptr<const Database> database_;
  std::int64_t team_;
  std::int64_t content_ = 0;  // 0: nothing is written yet
  int parts_ = 0;
  std::string piece_;
};

// Blocks until `done` returns true or the deadline passes; calls it first, then after each announcement that begins
// with `topic`. Returns moved if the team is gone.
Mailbox::Waited wait_for_topic(const std::shared_ptr<const Database>& database, std::int64_t team,
                               const std::string& topic, const Deadline& deadline, const std::vector<int>& descriptors,
                               const std::function<bool()>& done);

}  // namespace team
