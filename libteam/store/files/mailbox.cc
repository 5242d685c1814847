#include "libteam/store/files/mailbox.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "libteam/base/error.h"
#include "libteam/store/files/bodies.h"
#include "libteam/store/files/mail_queue.h"
#include "libteam/store/files/mail_slots.h"
#include "libteam/system/watch.h"

namespace team {

namespace {

constexpr std::size_t kMostAtOnce = 500;  // messages of one batch

}  // namespace

struct FileMailbox::Parts {
  explicit Parts(MailFiles given)
      : files(std::move(given)), rejected(files), queue(files, rejected), slots(files, rejected) {}
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  const Folder& folder() const { return *files.folder; }

  const MailFiles files;
  const RejectedLines rejected;
  const MailQueue queue;
  const MailSlots slots;
};

class FileBatch : public Batch {
 public:
  using Parts = FileMailbox::Parts;
  FileBatch(std::shared_ptr<const Parts> parts, MailSlots::Taken taken, std::vector<Message> messages, bool is_all)
      : parts_(std::move(parts)), slot_(std::move(taken)), messages_(std::move(messages)), is_all_(is_all) {}

  const std::vector<Message>& messages() const override { return messages_; }
  bool is_all() const override { return is_all_; }

  void acknowledge() override {
    const Folder& folder = parts_->folder();
    folder.remove(slot_.name);
    after_change([&] {
      if (parts_->files.durability == Durability::power) folder.sync();
      remove_bodies(folder, messages_);
    });
    slot_.lock = Fd();
  }

  void hold(double seconds, const std::optional<std::string>& run) override {
    {
      const Lock lock = parts_->files.lock();
      parts_->slots.merge_held();
    }
    parts_->slots.hold(slot_.name, seconds, run);
  }

  void release() override { parts_->slots.release(slot_.name); }

 private:
  std::shared_ptr<const Parts> parts_;
  MailSlots::Taken slot_;
  std::vector<Message> messages_;
  bool is_all_;
};

FileMailbox::FileMailbox(std::shared_ptr<const Folder> folder, std::string owner, Durability durability,
                         double lock_timeout)
    : parts_(std::make_shared<const Parts>(MailFiles{std::move(folder), std::move(owner), durability, lock_timeout})) {}

FileMailbox::FileMailbox(const Folder& folder, std::string owner, Durability durability, double lock_timeout)
    : FileMailbox(std::shared_ptr<const Folder>(std::shared_ptr<const void>(), &folder), std::move(owner), durability,
                  lock_timeout) {}

void FileMailbox::append(const std::vector<Message>& messages) const { parts_->queue.append(messages); }

std::unique_ptr<Batch> FileMailbox::take(const MessageFilter& filter, std::size_t most,
                                         const std::optional<std::string>& run) const {
  const auto& [files, rejected, queue, slots] = *parts_;
  const Lock lock = files.lock();
  const std::int64_t others = return_abandoned(run);
  if (!filter.any()) {
    if (auto messages = queue.read_whole(most)) {
      return std::make_unique<FileBatch>(parts_, slots.adopt(queue.inbox(), others), std::move(*messages), true);
    }
  }
  const std::size_t limit = std::min(most, kMostAtOnce);
  MailQueue::Portion portion = filter.any() ? queue.find_fitting(filter, limit) : queue.find_oldest(limit);
  if (portion.messages.empty()) {
    portion.commit();
    return nullptr;
  }
  // First the messages are in their slot, then they leave the queue: in between they are in both, never in none.
  MailSlots::Taken taken = slots.write(portion.messages, others);
  auto batch = std::make_unique<FileBatch>(parts_, std::move(taken), std::move(portion.messages), false);
  portion.commit();
  return batch;
}

// The messages in these slots that do not wait in the queue: a reader that died while it took them left some in both.
std::vector<Message> FileMailbox::taken_only(const std::vector<std::string>& slots,
                                             const MailSlots::Parse& parse) const {
  if (slots.empty()) return {};
  std::set<std::string> waiting;
  parts_->queue.each_line([&](const std::string& line) {
    try {
      waiting.insert(parse_message(line, parts_->files.owner, parts_->queue.inbox()).id);
    } catch (const Error& error) {
      if (error.code() != Code::corrupt) throw;
    }
  });
  return parts_->slots.read(slots, parse, std::move(waiting));
}

// Puts messages of dead readers back to the front of the queue. Returns the latest date of the slots that stay, 0 if
// there are none.
std::int64_t FileMailbox::return_abandoned(const std::optional<std::string>& run) const {
  const auto all = parts_->slots.all();
  const auto abandoned = parts_->slots.abandoned(all, run);
  std::int64_t others = 0;
  for (const MailSlots::Slot& slot : all) {
    const bool stays = std::find(abandoned.begin(), abandoned.end(), slot.name) == abandoned.end();
    if (stays) others = std::max(others, slot.date);
  }
  if (abandoned.empty()) return others;
  parts_->queue.put_back(taken_only(abandoned, [&](const std::string& line) { return parts_->rejected.parse(line); }));
  for (const std::string& slot : abandoned) {
    parts_->folder().remove(slot);
    parts_->slots.release(slot);
  }
  return others;
}

void FileMailbox::peek(const MessageFilter& filter, std::size_t most, const std::optional<std::string>& run,
                       const std::function<void(const Message&)>& visit) const {
  const auto& [files, rejected, queue, slots] = *parts_;
  std::size_t seen = 0;
  const auto parse = [&](const std::string& line) -> std::optional<Message> {
    try {
      return parse_message(line, parts_->files.owner, parts_->queue.inbox());
    } catch (const Error& error) {
      if (error.code() != Code::corrupt) throw;
      return std::nullopt;  // take() rejects it
    }
  };
  const auto show = [&](const std::optional<Message>& message) {
    if (!message || seen >= most || !filter.fits(*message)) return;
    ++seen;
    visit(*message);
  };
  for (const Message& message : taken_only(slots.abandoned(slots.all(), run), parse)) show(message);
  queue.each_line([&](const std::string& line) { show(parse(line)); });
}

std::vector<Message> FileMailbox::acknowledge(const std::vector<std::string>& ids) const {
  const Lock lock = parts_->files.lock();
  return parts_->slots.acknowledge(
      ids, [&](const std::vector<Message>& removed) { remove_bodies(parts_->folder(), removed); });
}

MessageState FileMailbox::state_of(const std::string& id) const {
  const std::string mark = fmt::format("\"id\":\"{}\"", id);
  bool pending = false;
  parts_->queue.each_line([&](const std::string& line) { pending = pending || line.find(mark) != std::string::npos; });
  if (pending) return MessageState::pending;
  for (const MailSlots::Slot& slot : parts_->slots.all()) {
    const auto contents = parts_->folder().read(slot.name, std::size_t{1} << 30);
    if (contents && contents->text.find(mark) != std::string::npos) return MessageState::delivered;
  }
  return MessageState::gone;
}

Mailbox::Waited FileMailbox::wait(const Deadline& deadline, int reader, const std::function<bool()>& arrived) const {
  const Folder& folder = parts_->folder();
  Watch watch(folder);
  watch.watch_reader(reader);
  // Messages that another reader leaves, or puts back for a dead one, are in the backlog.
  const auto is_ours = [inbox = parts_->queue.inbox(), backlog = parts_->queue.backlog()](const std::string& name) {
    return name == inbox || name == backlog;
  };
  while (!arrived()) {
    // No file system reports the death of another reader or the end of a hold: while there is one, look every second.
    const bool others = !parts_->slots.all().empty();
    while (true) {
      const Changes changes = watch.wait(others ? deadline.or_in(1) : deadline);
      if (changes.all && !folder.is_in_place()) return Waited::moved;
      if (!changes.any && deadline.passed()) return Waited::too_late;
      if (!changes.any || changes.all) break;
      // A look leaves a lock file behind, so it must not happen at a mailbox that is being removed.
      const bool is_named = std::any_of(changes.names.begin(), changes.names.end(), is_ours);
      if (is_named && (has_new() || parts_->queue.has_backlog())) break;
    }
  }
  return Waited::arrived;
}

void FileMailbox::watch(Watch& watch) const {
  // Every writer opens the lock first and closes it afterwards, other programs too. The inbox itself comes and goes.
  const std::string lock = layout::inbox_lock(parts_->files.owner);
  parts_->folder().open(lock, O_RDONLY | O_CREAT);
  watch.add(parts_->folder(), lock, Watch::Kind::opened);
}

bool FileMailbox::has_new() const { return parts_->queue.has_inbox(); }

void FileMailbox::nudge() const {
  ::utimensat(parts_->folder().fd(), layout::inbox_lock(parts_->files.owner).c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

bool FileMailbox::has_body(const Message& message) const { return team::has_body(parts_->folder(), message); }

void FileMailbox::each_body_piece(const Message& message, const std::function<void(std::string_view)>& visit) const {
  team::each_body_piece(parts_->folder(), message, visit);
}

}  // namespace team
