#include "libteam/store/postgres/postgres_mailbox.h"

#include <algorithm>
#include <set>

#include "libteam/base/json_text.h"
#include "libteam/base/terminal_text.h"
#include "libteam/store/postgres/advisory_lock.h"
#include "libteam/store/postgres/change_listener.h"

namespace team {

namespace {

constexpr int kMostReaders = 8;
constexpr std::size_t kMostAtOnce = 500;
constexpr std::size_t kMostAtOnePeek = 1'000'000'000;  // a limit that SQL can count to
constexpr int kWindow = 1000;                          // messages that a search reads at once

// Of a batch `b`: whether its reader lives, and whether its messages go to a reader of run $2.
std::string busy() { return "(not b.closed and " + is_locked("batches", "b.no") + ")"; }
std::string abandoned() {
  return "(not " + busy() +
         " and not (coalesce(b.hold_until > clock_timestamp(), false)"
         " and ($2::text is null or b.run is null or b.run = $2)))";
}

// Removes the contents of large messages that no message needs any more.
void remove_contents(Transaction& transaction, std::int64_t team, const std::vector<Message>& messages) {
  std::vector<std::string> ids;
  for (const Message& message : messages) {
    if (message.body_size > 0) ids.push_back(message.id);
  }
  if (ids.empty()) return;
  transaction.later(
      "with gone as (delete from content_ids where team = $1 and id in (select json_array_elements_text($2))"
      " returning content) delete from contents c using gone where c.no = gone.content and not exists"
      " (select from content_ids i where i.content = c.no and i.id not in (select json_array_elements_text($2)))",
      {sql(team), json_array_of_texts(ids)});
}

void remove_empty_batches(Transaction& transaction, std::int64_t inbox) {
  transaction.later(
      "delete from batches b where b.inbox = $1 and not exists (select from messages m where m.batch = b.no)",
      {sql(inbox)});
}

class PostgresBatch : public Batch {
 public:
  PostgresBatch(std::shared_ptr<const Database> database, std::int64_t team, std::int64_t inbox, std::string topic,
                AdvisoryLock lock, std::int64_t number, std::vector<Message> messages, bool is_all)
      : database_(std::move(database)),
        team_(team),
        inbox_(inbox),
        topic_(std::move(topic)),
        lock_(std::move(lock)),
        number_(number),
        messages_(std::move(messages)),
        is_all_(is_all) {}
  PostgresBatch(const PostgresBatch&) = delete;
  PostgresBatch& operator=(const PostgresBatch&) = delete;
  ~PostgresBatch() override {
    lock_.release();
    try {
      change("select 1", {});  // wakes waiting readers
    } catch (const std::exception&) {
      // They find the messages at their next look.
    }
  }

  const std::vector<Message>& messages() const override { return messages_; }
  bool is_all() const override { return is_all_; }
  void acknowledge() override {
    change(
        "with gone as (delete from batches where no = $1 returning no)"
        " delete from messages m using gone where m.batch = gone.no",
        {sql(number_)}, Contents::remove);
  }
  void hold(double seconds, const std::optional<std::string>& run) override {
    database_->transact([&](Transaction& transaction) {
      transaction.ask("select from inboxes where no = $1 for no key update", {sql(inbox_)});
      merge_held(transaction);
      transaction.later(
          "update batches set hold_until = clock_timestamp() + $2::double precision * interval '1 second', run = $3"
          " where no = $1",
          {sql(number_), fmt::format("{}", seconds), run});
      transaction.announce(topic_);
    });
  }
  void release() override { change("update batches set hold_until = null, run = null where no = $1", {sql(number_)}); }

 private:
  enum class Contents { keep, remove };
  void change(const std::string& text, SqlValues values, Contents contents = Contents::keep) const {
    database_->transact([&](Transaction& transaction) {
      transaction.ask("select from inboxes where no = $1 for no key update", {sql(inbox_)});
      transaction.later(text, values);
      if (contents == Contents::remove) remove_contents(transaction, team_, messages_);
      transaction.announce(topic_);
    });
  }

  // Held batches that follow each other become one, with the hold and the place of the last.
  void merge_held(Transaction& transaction) const {
    const Rows rows = transaction.ask(
        fmt::format("select b.no, not {} and b.hold_until is not null from batches b where inbox = $1 order by b.no",
                    busy()),
        {sql(inbox_)});
    for (int row = 0; row + 1 < rows.count(); ++row) {
      if (!rows.flag(row, 1) || !rows.flag(row + 1, 1)) continue;
      // Before the messages of the next batch, and below all places that are used.
      transaction.later(
          "update messages m set batch = $3, place = o.place from (select place as old, (select min(place) from "
          "messages"
          "  where inbox = $1) - 1 - row_number() over (order by place desc) as place from messages where batch = $2) o"
          " where m.inbox = $1 and m.place = o.old",
          {sql(inbox_), sql(rows.number(row, 0)), sql(rows.number(row + 1, 0))});
      transaction.later("delete from batches where no = $1", {sql(rows.number(row, 0))});
    }
  }

  std::shared_ptr<const Database> database_;
  std::int64_t team_, inbox_;
  std::string topic_;
  AdvisoryLock lock_;
  std::int64_t number_;
  std::vector<Message> messages_;
  bool is_all_;
};

}  // namespace

Mailbox::Waited wait_for_topic(const std::shared_ptr<const Database>& database, std::int64_t team,
                               const std::string& topic, const Deadline& deadline, const std::vector<int>& descriptors,
                               const std::function<bool()>& done) {
  ChangeListener listener(database);
  while (true) {
    if (done()) return Mailbox::Waited::arrived;
    if (database->ask("select from teams where no = $1", {sql(team)}).empty()) return Mailbox::Waited::moved;
    while (true) {
      const auto heard = listener.wait(deadline, descriptors);
      if (!heard.any()) return Mailbox::Waited::too_late;
      const auto fits = [&](const std::string& one) {
        return one.starts_with(topic) || one == fmt::format("team {}", team);
      };
      if (heard.everything || heard.woken || std::any_of(heard.topics.begin(), heard.topics.end(), fits)) break;
    }
  }
}

PostgresMailbox::PostgresMailbox(std::shared_ptr<const Database> database, std::int64_t team, std::string owner)
    : database_(std::move(database)), team_(team), owner_(std::move(owner)) {}

// Locks the inbox, and makes it if it is missing; returns its number.
std::int64_t PostgresMailbox::lock(Transaction& transaction) const {
  const Statement look{"select no from inboxes where team = $1 and owner = $2 for no key update", {sql(team_), owner_}};
  const Rows rows = transaction.ask_all({look}).front();
  if (!rows.empty()) return rows.number(0, 0);
  transaction.later("insert into inboxes (team, owner) values ($1, $2) on conflict do nothing", {sql(team_), owner_});
  return transaction.ask_all({look}).front().number(0, 0);
}

void PostgresMailbox::announce(Transaction& transaction) const {
  transaction.announce(fmt::format("inbox {} {}", team_, owner_));
}

std::vector<Message> PostgresMailbox::to_messages(const Rows& rows, int column) const {
  std::vector<Message> messages;
  for (int row = 0; row < rows.count(); ++row) {
    messages.push_back(parse_message(rows.text(row, column), owner_, "the mail of " + owner_));
  }
  return messages;
}

void PostgresMailbox::append(const std::vector<Message>& messages) const {
  std::vector<std::string> rows;
  for (const Message& message : messages) {
    JsonText row;
    row.add("id", message.id);
    row.add("body", to_line(message));
    rows.push_back(row.take());
  }
  database_->transact([&](Transaction& transaction) {
    const std::int64_t inbox = lock(transaction);
    transaction.later(
        "insert into messages (inbox, place, id, body) select $1::int,"
        " (select coalesce(max(place), 0) from messages where inbox = $1::int) + n, x.r ->> 'id', x.r ->> 'body'"
        " from json_array_elements($2) with ordinality as x (r, n)",
        {sql(inbox), json_array(rows)});
    transaction.later("update inboxes set has_new = true where no = $1", {sql(inbox)});
    announce(transaction);
  });
}

std::unique_ptr<Batch> PostgresMailbox::take(const MessageFilter& filter, std::size_t most,
                                             const std::optional<std::string>& run) const {
  std::unique_ptr<Batch> batch;
  most = std::min(most, kMostAtOnce);
  database_->transact([&](Transaction& transaction) {
    batch.reset();
    const std::int64_t inbox = lock(transaction);
    // The messages of abandoned batches come before all others.
    transaction.later(
        "update messages m set batch = null, place = o.place from (select m.place as old,"
        "  (select min(place) from messages where inbox = $1) - 1 - row_number() over (order by b.no desc, m.place "
        "desc)"
        "  as place from batches b join messages m on m.batch = b.no where b.inbox = $1 and " +
            abandoned() + ") o where m.inbox = $1 and m.place = o.old",
        {sql(inbox), run});
    remove_empty_batches(transaction, inbox);
    if (!filter.any()) transaction.later("update inboxes set has_new = false where no = $1 and has_new", {sql(inbox)});
    std::vector<Message> taken;
    std::vector<std::int64_t> places;
    bool is_all = true;
    SqlValue after;
    while (taken.size() < most) {
      const Rows rows = transaction.ask(
          "select place, body from messages where inbox = $1 and batch is null and ($2::bigint is null or place > $2)"
          " order by place limit $3",
          {sql(inbox), after, sql(filter.any() ? kWindow : static_cast<std::int64_t>(most) + 1)});
      const auto found = to_messages(rows, 1);
      for (std::size_t i = 0; i < found.size(); ++i) {
        if (taken.size() == most || !filter.fits(found[i])) {
          is_all = false;
          continue;
        }
        taken.push_back(found[i]);
        places.push_back(rows.number(static_cast<int>(i), 0));
      }
      if (!filter.any() || rows.count() < kWindow) break;
      after = rows.text(rows.count() - 1, 0);
    }
    if (taken.empty()) return;
    const Rows readers = transaction.ask("select count(*) from batches where inbox = $1", {sql(inbox)});
    if (readers.number(0, 0) >= kMostReaders) {
      fail(Code::again, "{} readers are at the inbox of {} already", kMostReaders, owner_);
    }
    const std::int64_t number =
        transaction.ask("insert into batches (inbox) values ($1) returning no", {sql(inbox)}).number(0, 0);
    AdvisoryLock reading(database_, {"batches", number});
    if (!reading.take()) throw ConnectionLost("the batch cannot be locked");
    transaction.later("update messages set batch = $2 where inbox = $1 and place = any($3::bigint[])",
                      {sql(inbox), sql(number), sql(places)});
    announce(transaction);
    batch = std::make_unique<PostgresBatch>(database_, team_, inbox, fmt::format("inbox {} {}", team_, owner_),
                                            std::move(reading), number, std::move(taken), is_all);
  });
  return batch;
}

void PostgresMailbox::peek(const MessageFilter& filter, std::size_t most, const std::optional<std::string>& run,
                           const std::function<void(const Message&)>& visit) const {
  const Rows inbox = database_->ask("select no from inboxes where team = $1 and owner = $2", {sql(team_), owner_});
  if (inbox.empty()) return;
  const Rows rows = database_->ask(
      "select m.body from messages m left join batches b on b.no = m.batch"
      " where m.inbox = $1 and (m.batch is null or " +
          abandoned() + ") order by m.batch is null, m.batch, m.place" +
          (filter.any() ? "" : fmt::format(" limit {}", std::min(most, kMostAtOnePeek))),
      {sql(inbox.number(0, 0)), run});
  std::size_t seen = 0;
  for (const Message& message : to_messages(rows, 0)) {
    if (seen < most && filter.fits(message)) ++seen, visit(message);
  }
}

std::vector<Message> PostgresMailbox::acknowledge(const std::vector<std::string>& ids) const {
  std::vector<Message> gone;
  database_->transact([&](Transaction& transaction) {
    const std::int64_t inbox = lock(transaction);
    const Rows rows = transaction.ask(
        "select m.id, m.body, m.batch from messages m join batches b on b.no = m.batch where m.inbox = $1"
        " and b.hold_until is not null and m.id in (select json_array_elements_text($2)) order by m.batch, m.place",
        {sql(inbox), json_array_of_texts(ids)});
    std::set<std::string> found;
    for (int row = 0; row < rows.count(); ++row) found.insert(rows.text(row, 0));
    for (const std::string& id : ids) {
      if (!found.contains(id)) fail(Code::not_found, "{} holds no message '{}'", owner_, one_line(id));
    }
    gone = to_messages(rows, 1);
    transaction.later(
        "with gone as (delete from messages m using batches b where b.no = m.batch and m.inbox = $1"
        "  and b.hold_until is not null and m.id in (select json_array_elements_text($2)) returning m.batch)"
        " update batches b set closed = true from gone where b.no = gone.batch",
        {sql(inbox), json_array_of_texts(ids)});
    remove_empty_batches(transaction, inbox);
    remove_contents(transaction, team_, gone);
    announce(transaction);
  });
  return gone;
}

MessageState PostgresMailbox::state_of(const std::string& id) const {
  const Rows rows = database_->ask(
      "select m.batch from messages m join inboxes i on i.no = m.inbox"
      " where i.team = $1 and i.owner = $2 and m.id = $3",
      {sql(team_), owner_, id});
  if (rows.empty()) return MessageState::gone;
  return rows.is_null(0, 0) ? MessageState::pending : MessageState::delivered;
}

Mailbox::Waited PostgresMailbox::wait(const Deadline& deadline, int reader,
                                      const std::function<bool()>& arrived) const {
  const std::vector<int> descriptors = reader < 0 ? std::vector<int>{} : std::vector<int>{reader};
  return wait_for_topic(database_, team_, fmt::format("inbox {} {}", team_, owner_), deadline, descriptors, arrived);
}

bool PostgresMailbox::has_new() const {
  return database_
      ->ask(
          "select exists (select from inboxes i join messages m on m.inbox = i.no where i.team = $1 and i.owner = $2"
          " and i.has_new and m.batch is null)",
          {sql(team_), owner_})
      .flag(0, 0);
}

void PostgresMailbox::nudge() const {
  database_->transact([&](Transaction& transaction) { announce(transaction); });
}

bool PostgresMailbox::has_body(const Message& message) const {
  return message.body_size > 0 &&
         !database_->ask("select from content_ids where team = $1 and id = $2", {sql(team_), message.id}).empty();
}

void PostgresMailbox::each_body_piece(const Message& message,
                                      const std::function<void(std::string_view)>& visit) const {
  for (int part = 0;; ++part) {
    const Rows rows = database_->ask(
        "select p.data from content_pieces p join content_ids i on i.content = p.content"
        " where i.team = $1 and i.id = $2 and p.part = $3",
        {sql(team_), message.id, sql(std::int64_t{part})});
    if (rows.empty()) return;
    visit(from_hex(rows.text(0, 0)));
  }
}

PostgresBodyWriter::PostgresBodyWriter(std::shared_ptr<const Database> database, std::int64_t team)
    : database_(std::move(database)), team_(team) {}

void PostgresBodyWriter::append(std::string_view piece) {
  constexpr std::size_t kPieceSize = std::size_t{1} << 20;
  piece_ += piece;
  if (piece_.size() >= kPieceSize) flush();
}

void PostgresBodyWriter::flush() {
  if (content_ == 0) {
    content_ = database_->ask("insert into contents (team) values ($1) returning no", {sql(team_)}).number(0, 0);
  }
  database_->ask("insert into content_pieces (content, part, data) values ($1, $2, $3)",
                 {sql(content_), sql(std::int64_t{parts_++}), to_hex(std::exchange(piece_, ""))});
}

void PostgresBodyWriter::publish(const std::vector<std::string>& ids) {
  flush();
  database_->ask(
      "insert into content_ids (team, id, content) select $1::int, id, $3::bigint from json_array_elements_text($2) id",
      {sql(team_), json_array_of_texts(ids), sql(content_)});
}

void PostgresBodyWriter::discard(const std::vector<std::string>& /*ids*/) {
  try {
    if (content_ != 0) database_->ask("delete from contents where no = $1", {sql(content_)});
  } catch (const std::exception&) {
    // team-fsck removes contents without messages.
  }
}

}  // namespace team
