#include "libteam/store/files/mailbox.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "libteam/base/error.h"
#include "libteam/base/json.h"
#include "libteam/base/number.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"
#include "libteam/record/hold.h"
#include "libteam/system/id.h"
#include "libteam/system/lines.h"
#include "libteam/system/lock.h"
#include "libteam/system/new_file.h"
#include "libteam/system/temporary.h"
#include "libteam/system/watch.h"

namespace team {

namespace {

constexpr int kMostReaders = 8;             // at one inbox at the same time
constexpr std::size_t kMostAtOnce = 500;    // messages of one batch
constexpr std::size_t kPiece = 256 * 1024;  // bytes looked at in one go

// Nobody writes while we hold the lock: what has no end was left by somebody who died.
constexpr auto kTornIsALine = LineReader::Tail::is_a_line;

std::string lines_of(const std::vector<Message>& messages) {
  std::string text;
  for (const Message& message : messages) text.append(to_line(message)).push_back('\n');
  return text;
}

constexpr std::string_view kLockSuffix = "_inbox.lock";

// Whether a file of this owner may name the content of a message. A transcript, which may be huge, does not.
bool holds_mail_of(const std::string& owner, std::string_view name) {
  if (!name.starts_with(owner + "_") || !name.ends_with(".jsonl")) return false;
  const std::string_view kind = name.substr(owner.size() + 1);
  return kind == "inbox.jsonl" || kind == "backlog.jsonl" || kind == "rejected.jsonl" || kind.starts_with("taken");
}

// Takes those that a message of this owner has out of `ids`. Under the lock nothing moves from one file to another.
void erase_wanted(const Folder& folder, const std::string& owner, double lock_timeout, std::set<std::string>& ids) {
  const std::string lock_name = owner + std::string(kLockSuffix);
  const auto lock = lock_timeout > 0 ? std::optional(Lock::acquire(folder, lock_name, lock_timeout))
                                     : Lock::try_acquire(folder, lock_name);
  if (!lock) fail(Code::again, "somebody is at the inbox of {}", owner);
  std::vector<std::string> names;
  folder.each_name([&](const char* entry) {
    const std::string_view name = entry;
    if (holds_mail_of(owner, name)) names.emplace_back(name);
  });
  for (const std::string& name : names) {
    const Fd fd = folder.open_if_there(name, O_RDONLY);
    if (!fd) continue;
    LineReader reader(fd, 0);
    while (const auto line = reader.next(kTornIsALine)) {
      std::erase_if(ids, [&](const std::string& id) { return line->find(id) != std::string::npos; });
    }
  }
}

// The date of a new slot tells that it was taken after those of the `others`, whatever became of the clock. Its reader
// has locked it before: whoever sees the slot sees both.
void mark_as_taken(const Fd& fd, std::int64_t others) {
  if (others > 0) set_mtime(fd, std::max(others + 1, mtime_of(fd)));
}

}  // namespace

std::vector<std::string> lost_bodies(const Folder& team_folder, double lock_timeout) {
  const auto bodies = team_folder.find_beneath(kBodiesFolder);
  if (!bodies) return {};
  // First the names, then their locks, then the mail: content that nobody has locked was delivered before.
  std::set<std::string> lost;
  bodies->each_name([&](const char* name) {
    if (!is_temporary(name)) lost.emplace(name);
  });
  std::erase_if(lost, [&](const std::string& name) { return look_at_lock(*bodies, name) != Held::no; });
  if (lost.empty()) return {};
  std::set<std::string> owners;
  team_folder.each_name([&](const char* entry) {
    const std::string_view name = entry;
    for (const std::string_view kind : {"_inbox.", "_backlog.", "_taken"}) {
      const std::size_t end = name.rfind(kind);
      if (end != std::string_view::npos) owners.emplace(name.substr(0, end));
    }
  });
  for (const std::string& owner : owners) erase_wanted(team_folder, owner, lock_timeout, lost);
  return {lost.begin(), lost.end()};
}

void sweep_bodies(const Folder& team_folder) {
  const auto bodies = team_folder.find_beneath(kBodiesFolder);
  if (!bodies) return;
  bodies->sweep_temporaries();
  try {
    for (const std::string& name : lost_bodies(team_folder, 0)) bodies->remove(name);
  } catch (const Error& error) {
    if (error.code() != Code::again) throw;
  }
}

struct Mailbox::Slot {
  std::string name;
  bool busy = false;      // a living reader is at it
  std::int64_t date = 0;  // when it was taken
};

Batch::Batch(const Mailbox& mailbox, std::string slot, Fd lock, std::vector<Message> messages)
    : mailbox_(&mailbox), slot_(std::move(slot)), lock_(std::move(lock)), messages_(std::move(messages)) {}

void Batch::acknowledge() {
  mailbox_->folder_.remove(slot_);
  after_change([&] {
    if (mailbox_->durability_ == Durability::power) mailbox_->folder_.sync();
    mailbox_->drop_bodies(messages_);
  });
  lock_ = Fd();
}

void Batch::hold(double seconds, const std::optional<std::string>& run) {
  mailbox_->merge_held();
  const Hold hold{boot_id(), static_cast<double>(boot_ns()) / 1e9 + seconds, run};
  mailbox_->folder_.replace(slot_ + ".hold", to_file(hold), mailbox_->durability_);
}

void Batch::release() { mailbox_->folder_.remove(slot_ + ".hold"); }

Mailbox::Mailbox(const Folder& folder, std::string owner, Durability durability, double lock_timeout)
    : folder_(folder), owner_(std::move(owner)), durability_(durability), lock_timeout_(lock_timeout) {}

std::string Mailbox::file(std::string_view what) const { return fmt::format("{}_{}", owner_, what); }

void Mailbox::append(const std::vector<Message>& messages) const {
  std::string text = lines_of(messages);
  const std::string name = file("inbox.jsonl");
  const Lock lock = Lock::acquire(folder_, file("inbox.lock"), lock_timeout_);
  const Fd fd = folder_.open(name, O_RDWR | O_CREAT | O_APPEND);
  const off_t size = size_of(fd);
  // A writer that was killed in the middle left a line without an end: ours begins on a new one.
  if (size > 0 && read_at(fd, size - 1, 1) != "\n") text.insert(0, "\n");
  const bool written = write_all(fd.get(), text) && (durability_ == Durability::process || ::fdatasync(fd.get()) == 0);
  if (!written) {
    const int reason = errno;
    const bool undone = ::ftruncate(fd.get(), size) == 0;  // else somebody may read it, now or after a restart
    errno = reason;
    fail_errno("cannot write", folder_.path_of(name), undone ? Code::io : Code::unknown);
  }
  if (size == 0 && durability_ == Durability::power) folder_.sync();  // it may be new
}

std::string Mailbox::slot_name(int number) const {
  return file(number == 1 ? std::string("taken.jsonl") : fmt::format("taken-{}.jsonl", number));
}

// Those that there are, in the order in which they were taken.
std::vector<Mailbox::Slot> Mailbox::slots() const {
  std::vector<Slot> all;
  for (int i = 1; i <= kMostReaders; ++i) {
    const std::string name = slot_name(i);
    const auto stamp = folder_.stamp(name);
    if (stamp) all.push_back({name, look_at_lock(folder_, name) == Held::yes, stamp->mtime_ns});
  }
  std::ranges::stable_sort(all, {}, &Slot::date);
  return all;
}

bool Mailbox::is_held(const Slot& slot, const std::optional<std::string>& run) const {
  const std::string name = slot.name + ".hold";
  const auto contents = folder_.read(name, JsonLimits{}.bytes);
  // Empty: durability process and a cut of power. They come again.
  if (!contents || contents->text.empty()) return false;
  const Hold hold = parse_hold(contents->text, folder_.path_of(name));
  const std::string boot = boot_id();
  const bool restarted = !boot.empty() && hold.boot != boot;  // where nobody can tell, the time alone counts
  const bool over = restarted || static_cast<double>(boot_ns()) / 1e9 >= hold.until;
  return !over && (!run || !hold.run || run == hold.run);
}

std::string Mailbox::free_slot() const {
  for (int i = 1; i <= kMostReaders; ++i) {
    const std::string name = slot_name(i);
    if (folder_.has(name)) continue;
    // Whoever removed both died in between: it holds nothing that comes now.
    if (folder_.has(name + ".hold")) folder_.remove(name + ".hold");
    return name;
  }
  fail(Code::again, "{} readers are at the inbox of {} already", kMostReaders, owner_);
}

std::optional<Batch> Mailbox::take(const MessageFilter& filter, std::size_t most,
                                   const std::optional<std::string>& run) const {
  const Lock lock = Lock::acquire(folder_, file("inbox.lock"), lock_timeout_);
  const std::int64_t others = return_abandoned(run);
  if (!filter.any()) {
    if (auto batch = take_whole(most, others)) return batch;
  }
  const std::size_t limit = std::min(most, kMostAtOnce);
  Portion portion = filter.any() ? find_fitting(filter, limit) : find_oldest(limit);
  if (portion.messages.empty()) {
    portion.commit();
    return std::nullopt;
  }
  // First they are where they are going, then they go from where they were: in between they are there twice, never not
  // at all.
  Batch batch = put_into_slot(std::move(portion.messages), others);
  portion.commit();
  return batch;
}

// The quick way, when all of a small inbox is wanted and nothing is wrong with it: one rename.
std::optional<Batch> Mailbox::take_whole(std::size_t most, std::int64_t others) const {
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
  Fd fd = folder_.open(inbox, O_RDONLY);
  if (lock_file(folder_, inbox, fd, LOCK_EX | LOCK_NB) != 0) fail_errno("cannot lock", folder_.path_of(inbox));
  mark_as_taken(fd, others);
  folder_.rename_into(inbox, folder_, slot);
  Batch batch(*this, slot, std::move(fd), std::move(messages));
  batch.is_all_ = true;
  return batch;
}

Batch Mailbox::put_into_slot(std::vector<Message> messages, std::int64_t others) const {
  const std::string slot = free_slot();
  NewFile file(folder_, lines_of(messages), durability_);
  mark_as_taken(file.lock(), others);
  file.replace(folder_, slot);
  return Batch(*this, slot, file.keep_locked(), std::move(messages));
}

// The slots of readers that died or held too long.
std::vector<std::string> Mailbox::abandoned(const std::vector<Slot>& all, const std::optional<std::string>& run) const {
  std::vector<std::string> names;
  for (const Slot& slot : all) {
    if (!slot.busy && !is_held(slot, run)) names.push_back(slot.name);
  }
  return names;
}

// What lies in these slots, each once, but for those that were `seen` elsewhere.
std::vector<Message> Mailbox::read_slots(const std::vector<std::string>& slots, const Parse& parse,
                                         std::set<std::string> seen) const {
  std::vector<Message> messages;
  for (const std::string& slot : slots) {
    const Fd fd = folder_.open_if_there(slot, O_RDONLY);
    if (!fd) continue;  // its reader acknowledged it this moment
    LineReader reader(fd, 0);
    std::set<std::string> here;  // the same id twice in one place is somebody's who wrote it by hand
    while (const auto line = reader.next(kTornIsALine)) {
      auto message = parse(*line);
      if (!message || (!message->id.empty() && seen.contains(message->id))) continue;
      here.insert(message->id);
      messages.push_back(std::move(*message));
    }
    seen.merge(here);
  }
  return messages;
}

// What lies in these slots and does not wait anyway: a reader that died while it took them left them in both places.
std::vector<Message> Mailbox::taken_only(const std::vector<std::string>& slots, const Parse& parse) const {
  if (slots.empty()) return {};
  std::set<std::string> waiting;
  each_line([&](const std::string& line) {
    try {
      waiting.insert(parse_message(line, owner_, file("inbox.jsonl")).id);
    } catch (const Error& error) {
      if (error.code() != Code::corrupt) throw;
    }
  });
  return read_slots(slots, parse, std::move(waiting));
}

// What they had taken goes back to the front of the queue. Gives the latest date of those that others still have, 0 if
// there are none.
std::int64_t Mailbox::return_abandoned(const std::optional<std::string>& run) const {
  const auto all = slots();
  const auto slots = abandoned(all, run);
  std::int64_t others = 0;
  for (const Slot& slot : all) {
    const bool stays = std::find(slots.begin(), slots.end(), slot.name) == slots.end();
    if (stays) others = std::max(others, slot.date);
  }
  if (slots.empty()) return others;
  const auto parse = [&](const std::string& line) { return parse_or_reject(line); };
  std::string text = lines_of(taken_only(slots, parse));
  if (const Fd rest = folder_.open_if_there(file("backlog.jsonl"), O_RDONLY)) {
    LineReader reader(rest, backlog_position(rest));
    while (const auto line = reader.next(kTornIsALine)) {
      if (const auto message = parse_or_reject(*line)) text.append(to_line(*message)).push_back('\n');
    }
  }
  replace_backlog(text);
  for (const std::string& slot : slots) {
    folder_.remove(slot);
    folder_.remove(slot + ".hold");
  }
  return others;
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
      const auto line = reader.next(kTornIsALine);
      at_end = !line;
      if (!line) break;
      if (auto message = parse_or_reject(*line)) messages.push_back(std::move(*message));
    }
    at_end = at_end || reader.offset() >= size_of(*fd);
    auto commit = [this, fd, backlog, at_end, position = reader.offset()] {
      sync_rejected();
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
  bool rejected = false;
  // The others stay each in its file, which is replaced in one step: one who dies leaves none of them in both.
  const auto sift = [&](const Fd& fd, off_t start) {
    auto others = std::make_shared<std::string>();
    LineReader reader(fd, start);
    while (const auto line = reader.next(kTornIsALine)) {
      const auto message = parse_or_reject(*line);
      rejected = rejected || !message;
      if (!message) continue;
      if (fitting.size() < most && filter.fits(*message)) fitting.push_back(*message);
      else others->append(to_line(*message)).push_back('\n');
    }
    return others;
  };
  const Fd backlog = folder_.open_if_there(file("backlog.jsonl"), O_RDONLY);
  const auto of_backlog = backlog ? sift(backlog, backlog_position(backlog)) : nullptr;
  const Fd inbox = folder_.open_if_there(file("inbox.jsonl"), O_RDONLY);
  const auto of_inbox = inbox ? sift(inbox, 0) : nullptr;
  if (fitting.empty() && !rejected) return {{}, [] {}};
  return {std::move(fitting), [this, of_backlog, of_inbox] {
            if (of_backlog) replace_backlog(*of_backlog);
            if (!of_inbox) return;
            sync_rejected();
            if (of_inbox->empty()) folder_.remove(file("inbox.jsonl"));
            else folder_.replace(file("inbox.jsonl"), *of_inbox, durability_);
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
    constexpr off_t kMost = off_t{4} << 20;
    Fd fd = folder_.open(file("rejected.jsonl"), O_WRONLY | O_CREAT | O_APPEND);
    if (size_of(fd) >= kMost) {
      folder_.rename_into(file("rejected.jsonl"), folder_, file("rejected.old"));
      fd = folder_.open(file("rejected.jsonl"), O_WRONLY | O_CREAT | O_APPEND);
    }
    if (!append_or_undo(fd, size_of(fd), rejection_line(line, error.what(), now()))) {
      fail_errno("cannot write", folder_.path_of(file("rejected.jsonl")));
    }
    set_aside_ = true;
    return std::nullopt;
  }
}

// What was set aside is on the disk before it goes from where it was.
void Mailbox::sync_rejected() const {
  if (!std::exchange(set_aside_, false) || durability_ == Durability::process) return;
  const std::string name = file("rejected.jsonl");
  const Fd fd = folder_.open(name, O_WRONLY | O_CREAT | O_APPEND);
  if (::fdatasync(fd.get()) != 0) fail_errno("cannot write", folder_.path_of(name));
  folder_.sync(Code::io);
}

// The position counts only for the file that it was written for: another one that is there at the same time has another
// inode. But a number is given out again once its file is gone, so a position that outlived its file must go before the
// next file comes.
void Mailbox::replace_backlog(std::string_view text) const {
  sync_rejected();
  const std::string position = file("backlog.pos");
  const Fd backlog = folder_.open_if_there(file("backlog.jsonl"), O_RDONLY);
  if (!backlog || backlog_position(backlog) == 0) folder_.remove(position);
  folder_.replace(file("backlog.jsonl"), text, durability_);
  folder_.remove(position);
}

off_t Mailbox::backlog_position(const Fd& backlog) const {
  constexpr std::size_t kMost = 64;
  const auto contents = folder_.read(file("backlog.pos"), kMost);
  if (!contents) return 0;
  const auto parts = split(first_line(contents->text), ' ');
  if (parts.size() < 2) return 0;
  const auto inode = parse_integer(parts[0]);
  const auto position = parse_integer(parts[1]);
  const bool ours =
      inode && position && static_cast<std::uint64_t>(*inode) == inode_of(backlog) && *position <= size_of(backlog);
  return ours ? static_cast<off_t>(*position) : 0;
}

void Mailbox::set_backlog_position(const Fd& backlog, off_t position) const {
  folder_.replace(file("backlog.pos"), fmt::format("{} {}\n", inode_of(backlog), position), durability_);
}

// Everything that nobody has taken, oldest first.
void Mailbox::each_line(const std::function<void(const std::string&)>& visit) const {
  if (const Fd backlog = folder_.open_if_there(file("backlog.jsonl"), O_RDONLY)) {
    LineReader reader(backlog, backlog_position(backlog));
    while (const auto line = reader.next(kTornIsALine)) visit(*line);
  }
  if (const Fd inbox = folder_.open_if_there(file("inbox.jsonl"), O_RDONLY)) {
    LineReader reader(inbox, 0);
    while (const auto line = reader.next(kTornIsALine)) visit(*line);
  }
}

void Mailbox::peek(const MessageFilter& filter, std::size_t most, const std::optional<std::string>& run,
                   const std::function<void(const Message&)>& visit) const {
  std::size_t seen = 0;
  const auto parse = [&](const std::string& line) -> std::optional<Message> {
    try {
      return parse_message(line, owner_, file("inbox.jsonl"));
    } catch (const Error& error) {
      if (error.code() != Code::corrupt) throw;
      return std::nullopt;  // set aside by whoever takes it
    }
  };
  const auto show = [&](const std::optional<Message>& message) {
    if (!message || seen >= most || !filter.fits(*message)) return;
    ++seen;
    visit(*message);
  };
  for (const Message& message : taken_only(abandoned(slots(), run), parse)) show(message);
  each_line([&](const std::string& line) { show(parse(line)); });
}

// The same place with other contents; when it was taken stays.
void Mailbox::rewrite_slot(const Slot& slot, const std::vector<Message>& messages) const {
  NewFile file(folder_, lines_of(messages), durability_);
  set_mtime(file.lock(), slot.date);
  file.replace(folder_, slot.name);
}

bool Mailbox::waits_for_ack(const Slot& slot) const { return folder_.has(slot.name + ".hold"); }

// What is held lies in few files, so that holding does not use up the places of readers: in one, but for what others
// took in between, whose messages belong between. Whoever dies here leaves some in two of them, and all of them held.
void Mailbox::merge_held() const {
  const Lock lock = Lock::acquire(folder_, file("inbox.lock"), lock_timeout_);
  const auto all = slots();
  const auto is_barrier = [&](const Slot& slot) { return slot.busy || !waits_for_ack(slot); };
  for (auto first = all.begin(); first != all.end();) {
    const auto end = std::find_if(first, all.end(), is_barrier);
    if (end - first > 1) put_together({first, end});
    first = end == all.end() ? end : end + 1;
  }
}

void Mailbox::put_together(const std::vector<Slot>& slots) const {
  std::vector<std::string> names;
  for (const Slot& slot : slots) names.push_back(slot.name);
  const auto parse = [&](const std::string& line) { return parse_or_reject(line); };
  rewrite_slot(slots.back(), read_slots(names, parse, {}));
  names.pop_back();
  for (const std::string& name : names) {
    folder_.remove(name);
    folder_.remove(name + ".hold");
  }
}

std::vector<Message> Mailbox::acknowledge(const std::vector<std::string>& ids) const {
  const Lock lock = Lock::acquire(folder_, file("inbox.lock"), lock_timeout_);
  const std::set<std::string> named(ids.begin(), ids.end());
  struct Part {
    Slot slot;
    std::vector<Message> kept, gone;
  };
  std::vector<Part> parts;
  std::set<std::string> found;
  const auto parse = [&](const std::string& line) { return parse_or_reject(line); };
  for (const Slot& slot : slots()) {
    if (!waits_for_ack(slot)) continue;
    Part part{slot, {}, {}};
    for (Message& message : read_slots({slot.name}, parse, {})) {
      const bool is_named = named.contains(message.id);
      if (is_named) found.insert(message.id);
      (is_named ? part.gone : part.kept).push_back(std::move(message));
    }
    if (!part.gone.empty()) parts.push_back(std::move(part));
  }
  for (const std::string& id : ids) {
    if (!found.contains(id)) fail(Code::not_found, "{} holds no message '{}'", owner_, one_line(id));
  }
  std::vector<Message> acknowledged;
  for (Part& part : parts) {
    const auto let_go = [&] {
      if (!part.kept.empty()) rewrite_slot(part.slot, part.kept);
      else remove_slot(part.slot.name);
    };
    if (acknowledged.empty()) let_go();
    else after_change(let_go);
    after_change([&] { drop_bodies(part.gone); });
    for (Message& message : part.gone) {
      if (found.erase(message.id) > 0) acknowledged.push_back(std::move(message));  // it may lie in two places
    }
  }
  return acknowledged;
}

void Mailbox::remove_slot(const std::string& slot) const {
  folder_.remove(slot);
  after_change([&] {
    folder_.remove(slot + ".hold");
    if (durability_ == Durability::power) folder_.sync();
  });
}

void Mailbox::drop_bodies(const std::vector<Message>& messages) const {
  for (const Message& message : messages) {
    if (message.body_size == 0 || !is_id(message.id)) continue;
    if (const auto bodies = folder_.find_beneath(kBodiesFolder)) bodies->remove(message.id);
  }
}

MessageState Mailbox::state_of(const std::string& id) const {
  const std::string mark = fmt::format("\"id\":\"{}\"", id);
  bool pending = false;
  each_line([&](const std::string& line) { pending = pending || line.find(mark) != std::string::npos; });
  if (pending) return MessageState::pending;
  for (const Slot& slot : slots()) {
    const auto contents = folder_.read(slot.name, std::size_t{1} << 30);
    if (contents && contents->text.find(mark) != std::string::npos) return MessageState::delivered;
  }
  return MessageState::gone;
}

Mailbox::Waited Mailbox::wait(const Deadline& deadline, int reader, const std::function<bool()>& arrived) const {
  Watch watch(folder_);
  watch.watch_reader(reader);
  // What another reader leaves, or gave back for one who died, lies in the backlog.
  const std::string backlog = file("backlog.jsonl");
  const auto is_ours = [&, inbox = file("inbox.jsonl")](const std::string& name) {
    return name == inbox || name == backlog;
  };
  while (!arrived()) {
    // That another reader dies, or a hold runs out, no file system tells: while there is one we look every second.
    const bool others = !slots().empty();
    while (true) {
      const Changes changes = watch.wait(others ? deadline.or_in(1) : deadline);
      if (changes.all && !folder_.is_in_place()) return Waited::moved;
      if (!changes.any && deadline.passed()) return Waited::too_late;
      if (!changes.any || changes.all) break;
      // A look leaves a lock file behind, so not at a mailbox that is being removed.
      const bool is_named = std::any_of(changes.names.begin(), changes.names.end(), is_ours);
      if (is_named && (has_new() || folder_.has(backlog))) break;
    }
  }
  return Waited::arrived;
}

void Mailbox::watch(Watch& watch) const {
  // Everybody who puts something in opens the lock first and closes it afterwards, other programs too. The inbox itself
  // comes and goes.
  const std::string lock = file("inbox.lock");
  folder_.open(lock, O_RDONLY | O_CREAT);
  watch.add(folder_, lock, Watch::Kind::opened);
}

bool Mailbox::has_new() const {
  const auto stamp = folder_.stamp(file("inbox.jsonl"));
  return stamp && stamp->size > 0;
}

void Mailbox::nudge() const { ::utimensat(folder_.fd(), file("inbox.lock").c_str(), nullptr, AT_SYMLINK_NOFOLLOW); }

bool Mailbox::has_body(const Message& message) const {
  const auto bodies = message.body_size > 0 && is_id(message.id) ? folder_.find_beneath(kBodiesFolder) : std::nullopt;
  return bodies && bodies->has(message.id);
}

void Mailbox::each_body_piece(const Message& message, const std::function<void(std::string_view)>& visit) const {
  const auto bodies = folder_.find_beneath(kBodiesFolder);
  if (!bodies || !is_id(message.id)) return;
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
