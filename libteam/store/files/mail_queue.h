// Messages that no reader has taken: the inbox and, before it, the backlog.
//
// Writers append to the inbox. A reader that takes only some messages renames the inbox to the backlog and notes a
// position in it. So no file is rewritten to remove its first line, and the inbox is never read twice.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "libteam/store/files/rejected_lines.h"

namespace team {

class MailQueue {
 public:
  // Both outlive this. Callers of everything but append(), each_line() and the has functions hold the lock of the
  // mailbox.
  MailQueue(const MailFiles& files, const RejectedLines& rejected) : files_(files), rejected_(rejected) {}

  std::string inbox() const { return layout::inbox_file(files_.owner); }
  std::string backlog() const { return layout::backlog_file(files_.owner); }
  bool has_inbox() const;
  bool has_backlog() const { return files_.folder->has(backlog()); }

  // Appends one line for each; all or none.
  void append(const std::vector<Message>& messages) const;

  // Every waiting line, oldest first.
  void each_line(const std::function<void(const std::string& line)>& visit) const;

  // All messages of a small inbox that has nothing else before it and only messages in it; none in other cases, and if
  // there are more than `most`. Such an inbox is taken by one rename.
  std::optional<std::vector<Message>> read_whole(std::size_t most) const;

  // Messages that are about to be taken. `commit` removes them from the queue; until then nothing has changed.
  struct Portion {
    std::vector<Message> messages;
    std::function<void()> commit;
  };
  Portion find_oldest(std::size_t most) const;
  Portion find_fitting(const MessageFilter& filter, std::size_t most) const;

  // Puts messages of readers that died before all others.
  void put_back(const std::vector<Message>& messages) const;

 private:
  std::string position_file() const { return layout::backlog_position(files_.owner); }
  void replace_backlog(std::string_view text) const;
  off_t backlog_position(const Fd& backlog) const;
  void set_backlog_position(const Fd& backlog, off_t position) const;

  const MailFiles& files_;
  const RejectedLines& rejected_;
};

}  // namespace team
