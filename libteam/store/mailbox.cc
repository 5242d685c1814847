#include "libteam/store/mailbox.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <set>
#include <utility>

#include "libteam/base/error.h"
#include "libteam/base/json.h"
#include "libteam/base/text.h"
#include "libteam/record/hold.h"
#include "libteam/system/id.h"
#include "libteam/system/lock.h"
#include "libteam/system/watch.h"

namespace team {

namespace {

constexpr int kMostReaders = 8;               // at one inbox at the same time
constexpr std::size_t kMostAtOnce = 500;      // messages of one batch
constexpr std::size_t kPiece = 256 * 1024;    // bytes looked at in one go
constexpr const char* kBodies = "bodies";

off_t size_of(const Fd& fd) {
  struct stat status {};
  return ::fstat(fd.get(), &status) == 0 ? status.st_size : 0;
}

std::string read_at(const Fd& fd, off_t offset, std::size_t most) {
  std::string text(most, '\0');
  const ssize_t got = ::pread(fd.get(), text.data(), most, offset);
  if (got < 0) fail_errno("cannot read", "mail");
  text.resize(static_cast<std::size_t>(got));
  return text;
}

Fd open_if_there(const Folder& folder, const std::string& name, int flags) {
  return folder.has(name) ? folder.open(name, flags) : Fd();
}

// Reads lines one by one; the last one counts as a line even if it is torn.
class LineReader {
 public:
  LineReader(const Fd& fd, off_t offset) : fd_(fd), offset_(offset) {}

  // None at the end. One that is too long for any message comes cut.
  std::optional<std::string> next() {
    std::size_t searched = start_;
    while (true) {
      const std::size_t end = text_.find('\n', searched);
      if (end != std::string::npos) return give(end - start_, 1);
      searched = text_.size() - start_;
      text_.erase(0, std::exchange(start_, 0));
      const std::string piece = read_at(fd_, offset_ + static_cast<off_t>(text_.size()), kPiece);
      if (piece.empty()) break;
      if (text_.size() > JsonLimits{}.bytes) return skip_line();
      text_ += piece;
    }
    return text_.empty() ? std::nullopt : give(text_.size(), 0);
  }

  // Where the next line starts.
  off_t offset() const { return offset_; }

 private:
  std::optional<std::string> give(std::size_t length, std::size_t newline) {
    std::string line = text_.substr(start_, length);
    start_ += length + newline;
    offset_ += static_cast<off_t>(length + newline);
    return line;
  }

  std::optional<std::string> skip_line() {
    std::string line = std::exchange(text_, {});
    offset_ += static_cast<off_t>(line.size());
    while (true) {
      const std::string piece = read_at(fd_, offset_, kPiece);
      const std::size_t end = piece.find('\n');
      offset_ += static_cast<off_t>(end == std::string::npos ? piece.size() : end + 1);
      if (piece.empty() || end != std::string::npos) return line;
    }
  }

  const Fd& fd_;
  off_t offset_;
  std::string text_;
  std::size_t start_ = 0;  // what of text_ was given already
};

std::string lines_of(const std::vector<Message>& messages) {
  std::string text;
  for (const Message& message : messages) text.append(to_line(message)).push_back('\n');
  return text;
}

}  // namespace

struct Mailbox::Slot {
  std::string name;
  bool exists = false;
  bool busy = false;  // a living reader is at it
};

Batch::Batch(const Mailbox& mailbox, std::string slot, Fd lock, std::vector<Message> messages)
    : mailbox_(&mailbox), slot_(std::move(slot)), lock_(std::move(lock)), messages_(std::move(messages)) {}

void Batch::acknowledge() {
  mailbox_->remove_slot(slot_, messages_);
  lock_ = Fd();
}

void Batch::hold(double seconds, const std::optional<std::string>& run) {
  const Hold hold{boot_id(), static_cast<double>(boot_ns()) / 1e9 + seconds, run};
  mailbox_->folder_.replace(slot_ + ".hold", to_file(hold), mailbox_->durability_);
  lock_ = Fd();
}

Mailbox::Mailbox(const Folder& folder, std::string owner, Durability durability, double lock_timeout)
    : folder_(folder), owner_(std::move(owner)), durability_(durability), lock_timeout_(lock_timeout) {}

std::string Mailbox::file(std::string_view what) const { return fmt::format("{}_{}", owner_, what); }

void Mailbox::append(const std::vector<Message>& messages) const {
  std::string text = lines_of(messages);
  const std::string name = file("inbox.jsonl");
  const Lock lock = Lock::acquire(folder_, file("inbox.lock"), lock_timeout_);
  const bool is_new = !folder_.has(name);
  const Fd fd = folder_.open(name, O_RDWR | O_CREAT | O_APPEND);
  const off_t size = size_of(fd);
  // A writer that was killed in the middle left a line without an end: ours begins on a new one.
  if (size > 0 && read_at(fd, size - 1, 1) != "\n") text.insert(0, "\n");
  const bool written = write_all(fd.get(), text) && (durability_ == Durability::process || ::fdatasync(fd.get()) == 0);
  if (!written) {
    const int reason = errno;
    [[maybe_unused]] const int undone = ::ftruncate(fd.get(), size);
    errno = reason;
    fail_errno("cannot write", folder_.path_of(name));
  }
  if (is_new && durability_ == Durability::power) folder_.sync();
}

std::vector<Mailbox::Slot> Mailbox::slots() const {
  std::vector<Slot> all;
  for (int i = 1; i <= kMostReaders; ++i) {
    Slot slot{file(i == 1 ? std::string("taken.jsonl") : fmt::format("taken-{}.jsonl", i)), false, false};
    slot.exists = folder_.has(slot.name);
    if (slot.exists) slot.busy = look_at_lock(folder_, slot.name) == Held::yes;
    all.push_back(std::move(slot));
  }
  return all;
}

bool Mailbox::is_held(const Slot& slot, const std::optional<std::string>& run) const {
  const std::string name = slot.name + ".hold";
  const auto contents = folder_.read(name, JsonLimits{}.bytes);
  if (!contents) return false;
  const Hold hold = parse_hold(contents->text, folder_.path_of(name));
  const bool over = hold.boot != boot_id() || static_cast<double>(boot_ns()) / 1e9 >= hold.until;
  return !over && (!run || !hold.run || run == hold.run);
}

std::string Mailbox::free_slot() const {
  for (const Slot& slot : slots()) {
    if (!slot.exists) return slot.name;
  }
  fail(Code::again, "{} readers are at the inbox of {} already", kMostReaders, owner_);
}

std::optional<Batch> Mailbox::take(const MessageFilter& filter, std::size_t most,
                                   const std::optional<std::string>& run) const {
  const Lock lock = Lock::acquire(folder_, file("inbox.lock"), lock_timeout_);
  return_abandoned(run);
  if (!filter.any()) {
    if (auto batch = take_whole(most)) return batch;
  }
  const std::size_t limit = std::min(most, kMostAtOnce);
  Portion portion = filter.any() ? find_fitting(filter, limit) : find_oldest(limit);
  if (portion.messages.empty()) {
    portion.commit();
    return std::nullopt;
  }
  // First they are where they are going, then they go from where they were: in between they are there twice, never not
  // at all.
  Batch batch = put_into_slot(std::move(portion.messages));
  portion.commit();
  return batch;
}

// The quick way, when all of a small inbox is wanted and nothing is wrong with it: one rename.
std::optional<Batch> Mailbox::take_whole(std::size_t most) const {
  const std::string inbox = file("inbox.jsonl");
  if (folder_.has(file("backlog.jsonl"))) return std::nullopt;
  const auto stamp = folder_.stamp(inbox);
  if (!stamp || stamp->size == 0 || stamp->size > static_cast<off_t>(kPiece)) return std::nullopt;
  const auto contents = folder_.read(inbox, kPiece);
  if (!contents || !contents->text.ends_with('\n')) return std::nullopt;
  std::vector<Message> messages;
  for (const std::string& line : split(std::string_view(contents->text).substr(0, contents->text.size() - 1), '\n')) {
    try {
      messages.push_back(parse_message(line, owner_, inbox));
    } catch (const Error&) {
      return std::nullopt;
    }
    if (messages.back().id.empty()) return std::nullopt;
  }
  if (messages.size() > most) return std::nullopt;
  const std::string slot = free_slot();
  folder_.rename_into(inbox, folder_, slot);
  Fd fd = folder_.open(slot, O_RDONLY);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) fail_errno("cannot lock", folder_.path_of(slot));
  return Batch(*this, slot, std::move(fd), std::move(messages));
}

Batch Mailbox::put_into_slot(std::vector<Message> messages) const {
  const std::string slot = free_slot();
  folder_.replace(slot, lines_of(messages), durability_);
  Fd fd = folder_.open(slot, O_RDONLY);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) fail_errno("cannot lock", folder_.path_of(slot));
  return Batch(*this, slot, std::move(fd), std::move(messages));
}

// What readers that died or held too long had taken goes back to the front of the queue.
void Mailbox::return_abandoned(const std::optional<std::string>& run) const {
  for (const Slot& slot : slots()) {
    if (!slot.exists || slot.busy || is_held(slot, run)) continue;
    // One that died while it took them left them in both places.
    std::set<std::string> waiting;
    peek({}, std::numeric_limits<std::size_t>::max(), [&](const Message& message) { waiting.insert(message.id); });
    std::string text;
    const auto keep = [&](const Fd& fd, off_t offset, const std::set<std::string>& except) {
      LineReader reader(fd, offset);
      while (const auto line = reader.next()) {
        const auto message = parse_or_reject(*line);
        if (message && !except.contains(message->id)) text.append(to_line(*message)).push_back('\n');
      }
    };
    const std::string backlog = file("backlog.jsonl");
    keep(folder_.open(slot.name, O_RDONLY), 0, waiting);
    if (const Fd rest = open_if_there(folder_, backlog, O_RDONLY)) keep(rest, backlog_position(rest), {});
    folder_.replace(backlog, text, durability_);
    folder_.remove(slot.name);
    folder_.remove(slot.name + ".hold");
  }
}

Mailbox::Portion Mailbox::find_oldest(std::size_t most) const {
  const std::string backlog = file("backlog.jsonl");
  const std::string inbox = file("inbox.jsonl");
  while (true) {
    if (!folder_.has(backlog)) {
      if (!folder_.has(inbox)) return {{}, [] {}};
      folder_.remove(file("backlog.pos"));
      folder_.rename_into(inbox, folder_, backlog);
    }
    auto fd = std::make_shared<Fd>(folder_.open(backlog, O_RDONLY));
    LineReader reader(*fd, backlog_position(*fd));
    std::vector<Message> messages;
    bool at_end = false;
    while (messages.size() < most && !at_end) {
      const auto line = reader.next();
      at_end = !line;
      if (!line) break;
      if (auto message = parse_or_reject(*line)) messages.push_back(std::move(*message));
    }
    at_end = at_end || reader.offset() >= size_of(*fd);
    auto commit = [this, fd, backlog, at_end, position = reader.offset()] {
      if (at_end) {
        folder_.remove(backlog);
        folder_.remove(file("backlog.pos"));
      } else {
        set_backlog_position(*fd, position);
      }
    };
    if (!messages.empty() || !at_end) return {std::move(messages), commit};
    commit();  // nothing but lines that are no messages: on to what came since
  }
}

Mailbox::Portion Mailbox::find_fitting(const MessageFilter& filter, std::size_t most) const {
  std::vector<Message> fitting;
  auto others = std::make_shared<std::string>();
  each_line([&](const std::string& line) {
    const auto message = parse_or_reject(line);
    if (!message) return;
    if (fitting.size() < most && filter.fits(*message)) {
      fitting.push_back(*message);
    } else {
      others->append(to_line(*message)).push_back('\n');
    }
  });
  if (fitting.empty()) return {{}, [] {}};
  return {std::move(fitting), [this, others] {
            folder_.replace(file("backlog.jsonl"), *others, durability_);
            folder_.remove(file("inbox.jsonl"));
          }};
}

// None for a line that is no message: it is set aside with the reason, once.
std::optional<Message> Mailbox::parse_or_reject(const std::string& line) const {
  if (line.find_first_not_of(" \t\r") == std::string::npos) return std::nullopt;
  try {
    Message message = parse_message(line, owner_, file("inbox.jsonl"));
    if (message.id.empty()) message.id = new_id();
    return message;
  } catch (const Error& error) {
    const Fd fd = folder_.open(file("rejected.jsonl"), O_WRONLY | O_CREAT | O_APPEND);
    if (!write_all(fd.get(), rejection_line(line, error.what(), now()))) {
      fail_errno("cannot write", folder_.path_of(file("rejected.jsonl")));
    }
    return std::nullopt;
  }
}

// The position counts only for the file that it was written for: another one has another inode.
off_t Mailbox::backlog_position(const Fd& backlog) const {
  constexpr std::size_t kMost = 64;
  const auto contents = folder_.read(file("backlog.pos"), kMost);
  if (!contents) return 0;
  const auto parts = split(first_line(contents->text), ' ');
  struct stat status {};
  if (parts.size() < 2 || ::fstat(backlog.get(), &status) != 0) return 0;
  const auto inode = parse_integer(parts[0]);
  const auto position = parse_integer(parts[1]);
  const bool ours = inode && position && static_cast<ino_t>(*inode) == status.st_ino && *position <= status.st_size;
  return ours ? static_cast<off_t>(*position) : 0;
}

void Mailbox::set_backlog_position(const Fd& backlog, off_t position) const {
  struct stat status {};
  if (::fstat(backlog.get(), &status) != 0) fail_errno("cannot look at", folder_.path_of(file("backlog.jsonl")));
  folder_.replace(file("backlog.pos"), fmt::format("{} {}\n", status.st_ino, position), durability_);
}

// Everything that nobody has taken, oldest first.
void Mailbox::each_line(const std::function<void(const std::string&)>& visit) const {
  if (const Fd backlog = open_if_there(folder_, file("backlog.jsonl"), O_RDONLY)) {
    LineReader reader(backlog, backlog_position(backlog));
    while (const auto line = reader.next()) visit(*line);
  }
  if (const Fd inbox = open_if_there(folder_, file("inbox.jsonl"), O_RDONLY)) {
    LineReader reader(inbox, 0);
    while (const auto line = reader.next()) visit(*line);
  }
}

void Mailbox::peek(const MessageFilter& filter, std::size_t most, const std::function<void(const Message&)>& visit) const {
  std::size_t seen = 0;
  each_line([&](const std::string& line) {
    if (seen >= most) return;
    try {
      const Message message = parse_message(line, owner_, file("inbox.jsonl"));
      if (!filter.fits(message)) return;
      ++seen;
      visit(message);
    } catch (const Error& error) {
      if (error.code() != Code::corrupt) throw;  // set aside by whoever takes it
    }
  });
}

std::vector<Message> Mailbox::acknowledge(const std::vector<std::string>& ids) const {
  const Lock lock = Lock::acquire(folder_, file("inbox.lock"), lock_timeout_);
  std::vector<Message> acknowledged;
  for (const Slot& slot : slots()) {
    if (!slot.exists || slot.busy) continue;
    std::vector<Message> kept;
    std::vector<Message> gone;
    const Fd fd = folder_.open(slot.name, O_RDONLY);
    LineReader reader(fd, 0);
    while (const auto line = reader.next()) {
      auto message = parse_or_reject(*line);
      if (!message) continue;
      const bool named = std::find(ids.begin(), ids.end(), message->id) != ids.end();
      (named ? gone : kept).push_back(std::move(*message));
    }
    if (gone.empty()) continue;
    if (kept.empty()) {
      remove_slot(slot.name, gone);
    } else {
      folder_.replace(slot.name, lines_of(kept), durability_);
    }
    acknowledged.insert(acknowledged.end(), gone.begin(), gone.end());
  }
  return acknowledged;
}

void Mailbox::remove_slot(const std::string& slot, const std::vector<Message>& messages) const {
  folder_.remove(slot);
  if (folder_.has(slot + ".hold")) folder_.remove(slot + ".hold");
  if (durability_ == Durability::power) folder_.sync();
  for (const Message& message : messages) {
    if (message.body_size == 0 || !is_id(message.id)) continue;
    if (const auto bodies = folder_.find_beneath(kBodies)) bodies->remove(message.id);
  }
}

std::size_t Mailbox::count() const {
  std::size_t lines = 0;
  each_line([&](const std::string&) { ++lines; });
  return lines;
}

MessageState Mailbox::state_of(const std::string& id) const {
  const std::string mark = fmt::format("\"id\":\"{}\"", id);
  bool pending = false;
  each_line([&](const std::string& line) { pending = pending || line.find(mark) != std::string::npos; });
  if (pending) return MessageState::pending;
  for (const Slot& slot : slots()) {
    if (!slot.exists) continue;
    const auto contents = folder_.read(slot.name, std::size_t{1} << 30);
    if (contents && contents->text.find(mark) != std::string::npos) return MessageState::delivered;
  }
  return MessageState::gone;
}

bool Mailbox::wait(const Deadline& deadline, const std::function<bool()>& arrived) const {
  Watch watch(folder_);
  const std::string inbox = file("inbox.jsonl");
  while (!arrived()) {
    while (true) {
      const Changes changes = watch.wait(deadline);
      if (!changes.any) return false;
      if (changes.all || std::find(changes.names.begin(), changes.names.end(), inbox) != changes.names.end()) break;
    }
  }
  return true;
}

void Mailbox::each_body_piece(const Message& message, const std::function<void(std::string_view)>& visit) const {
  const auto bodies = folder_.find_beneath(kBodies);
  if (!is_id(message.id) || !bodies || !bodies->has(message.id)) {
    fail(Code::corrupt, "{}: the content of message {} is missing", folder_.path_of(kBodies), one_line(message.id));
  }
  const Fd fd = bodies->open(message.id, O_RDONLY);
  constexpr std::size_t kBlock = 65536;
  std::string rest;  // a character that was cut by the end of a block
  for (off_t offset = 0;;) {
    const std::string piece = read_at(fd, offset, kBlock);
    if (piece.empty()) break;
    offset += static_cast<off_t>(piece.size());
    std::string text = rest + piece;
    const std::size_t whole = whole_characters(text);
    rest = text.substr(whole);
    visit(std::string_view(text).substr(0, whole));
  }
  if (!rest.empty()) visit(rest);
}

}  // namespace team
