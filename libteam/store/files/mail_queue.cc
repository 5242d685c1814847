#include "libteam/store/files/mail_queue.h"

#include <fcntl.h>
#include <unistd.h>

#include <memory>

#include "libteam/base/number.h"
#include "libteam/base/text.h"
#include "libteam/system/new_file.h"

namespace team {

namespace {

constexpr std::size_t kPiece = 256 * 1024;  // bytes of a small inbox

}  // namespace

bool MailQueue::has_inbox() const {
  const auto stamp = files_.folder->stamp(inbox());
  return stamp && stamp->size > 0;
}

void MailQueue::append(const std::vector<Message>& messages) const {
  std::string text = lines_of(messages);
  const std::string name = inbox();
  const Folder& folder = *files_.folder;
  const Lock lock = files_.lock();
  const Fd fd = folder.open(name, O_RDWR | O_CREAT | O_APPEND);
  const off_t size = size_of(fd);
  // A writer that was killed in the middle left a line without an end: ours begins on a new one.
  if (size > 0 && read_at(fd, size - 1, 1) != "\n") text.insert(text.begin(), '\n');
  const bool written =
      write_all(fd.get(), text) && (files_.durability == Durability::process || ::fdatasync(fd.get()) == 0);
  if (!written) {
    const int reason = errno;
    const bool undone = ::ftruncate(fd.get(), size) == 0;  // else a reader may see it, now or after a restart
    errno = reason;
    fail_errno("cannot write", folder.path_of(name), undone ? Code::io : Code::unknown);
  }
  if (size == 0 && files_.durability == Durability::power) folder.sync();  // it may be new
}

void MailQueue::each_line(const std::function<void(const std::string&)>& visit) const {
  if (const Fd backlog = files_.folder->open_if_there(this->backlog(), O_RDONLY)) {
    LineReader reader(backlog, backlog_position(backlog));
    while (const auto line = reader.next(kTornIsALine)) visit(*line);
  }
  if (const Fd inbox = files_.folder->open_if_there(this->inbox(), O_RDONLY)) {
    LineReader reader(inbox, 0);
    while (const auto line = reader.next(kTornIsALine)) visit(*line);
  }
}

std::optional<std::vector<Message>> MailQueue::read_whole(std::size_t most) const {
  if (has_backlog()) return std::nullopt;
  const std::string name = inbox();
  const auto stamp = files_.folder->stamp(name);
  if (!stamp || stamp->size == 0 || stamp->size > static_cast<off_t>(kPiece)) return std::nullopt;
  const auto contents = files_.folder->read(name, kPiece);
  if (!contents || !contents->text.ends_with('\n')) return std::nullopt;
  std::vector<Message> messages;
  for (const std::string& line : split(std::string_view(contents->text).substr(0, contents->text.size() - 1), '\n')) {
    try {
      messages.push_back(parse_message(line, files_.owner, name));
    } catch (const Error&) {
      return std::nullopt;
    }
    if (messages.back().id.empty()) return std::nullopt;
  }
  if (messages.size() > most) return std::nullopt;
  return messages;
}

MailQueue::Portion MailQueue::find_oldest(std::size_t most) const {
  const Folder& folder = *files_.folder;
  while (true) {
    if (!has_backlog()) {
      if (!folder.has(inbox())) return {{}, [] {}};
      folder.remove(position_file());
      folder.rename_into(inbox(), folder, backlog());
    }
    auto fd = std::make_shared<Fd>(folder.open(backlog(), O_RDONLY));
    LineReader reader(*fd, backlog_position(*fd));
    std::vector<Message> messages;
    bool at_end = false;
    while (messages.size() < most && !at_end) {
      const auto line = reader.next(kTornIsALine);
      at_end = !line;
      if (!line) break;
      if (auto message = rejected_.parse(*line)) messages.push_back(std::move(*message));
    }
    at_end = at_end || reader.offset() >= size_of(*fd);
    auto commit = [this, &folder, fd, at_end, position = reader.offset()] {
      rejected_.sync();
      if (at_end) {
        folder.remove(backlog());
        folder.remove(position_file());
      } else {
        set_backlog_position(*fd, position);
      }
    };
    if (!messages.empty() || !at_end) return {std::move(messages), commit};
    commit();  // only rejected lines: on to the inbox
  }
}

MailQueue::Portion MailQueue::find_fitting(const MessageFilter& filter, std::size_t most) const {
  std::vector<Message> fitting;
  bool rejected = false;
  // The other messages stay each in its file, which is replaced in one step: a reader that dies leaves none in both.
  const auto sift = [&](const Fd& fd, off_t start) {
    auto others = std::make_shared<std::string>();
    LineReader reader(fd, start);
    while (const auto line = reader.next(kTornIsALine)) {
      const auto message = rejected_.parse(*line);
      rejected = rejected || !message;
      if (!message) continue;
      if (fitting.size() < most && filter.fits(*message)) fitting.push_back(*message);
      else others->append(to_line(*message)).push_back('\n');
    }
    return others;
  };
  const Fd backlog = files_.folder->open_if_there(this->backlog(), O_RDONLY);
  const auto of_backlog = backlog ? sift(backlog, backlog_position(backlog)) : nullptr;
  const Fd inbox = files_.folder->open_if_there(this->inbox(), O_RDONLY);
  const auto of_inbox = inbox ? sift(inbox, 0) : nullptr;
  if (fitting.empty() && !rejected) return {{}, [] {}};
  return {std::move(fitting), [this, of_backlog, of_inbox] {
            if (of_backlog) replace_backlog(*of_backlog);
            if (!of_inbox) return;
            rejected_.sync();
            if (of_inbox->empty()) files_.folder->remove(this->inbox());
            else replace_file(*files_.folder, this->inbox(), *of_inbox, files_.durability);
          }};
}

void MailQueue::put_back(const std::vector<Message>& messages) const {
  std::string text = lines_of(messages);
  if (const Fd rest = files_.folder->open_if_there(backlog(), O_RDONLY)) {
    LineReader reader(rest, backlog_position(rest));
    while (const auto line = reader.next(kTornIsALine)) {
      if (const auto message = rejected_.parse(*line)) text.append(to_line(*message)).push_back('\n');
    }
  }
  replace_backlog(text);
}

// The position counts only for the file that it was written for: another file that exists at the same time has another
// inode. But a number is used again once its file is gone, so a position that outlived its file must go before the next
// file comes.
void MailQueue::replace_backlog(std::string_view text) const {
  rejected_.sync();
  const Fd backlog = files_.folder->open_if_there(this->backlog(), O_RDONLY);
  if (!backlog || backlog_position(backlog) == 0) files_.folder->remove(position_file());
  replace_file(*files_.folder, this->backlog(), text, files_.durability);
  files_.folder->remove(position_file());
}

off_t MailQueue::backlog_position(const Fd& backlog) const {
  constexpr std::size_t kMost = 64;
  const auto contents = files_.folder->read(position_file(), kMost);
  if (!contents) return 0;
  const auto parts = split(first_line(contents->text), ' ');
  if (parts.size() < 2) return 0;
  const auto inode = parse_integer(parts[0]);
  const auto position = parse_integer(parts[1]);
  const bool is_ours =
      inode && position && static_cast<std::uint64_t>(*inode) == inode_of(backlog) && *position <= size_of(backlog);
  return is_ours ? static_cast<off_t>(*position) : 0;
}

void MailQueue::set_backlog_position(const Fd& backlog, off_t position) const {
  replace_file(*files_.folder, position_file(), fmt::format("{} {}\n", inode_of(backlog), position), files_.durability);
}

}  // namespace team
