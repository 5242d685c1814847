// Lines of an inbox that are no messages: other programs may append to an inbox too.
#pragma once

#include <optional>
#include <string>

#include "libteam/store/files/mail_files.h"

namespace team {

class RejectedLines {
 public:
  // `files` outlives this.
  explicit RejectedLines(const MailFiles& files) : files_(files) {}

  // The message of a line. None for a line that is no message: it is appended to NAME_rejected.jsonl with the reason.
  // A message without an id gets one. The caller holds the lock of the mailbox.
  std::optional<Message> parse(const std::string& line) const;
  // Flushes rejected lines to the disk. Called before they are removed from where they were.
  void sync() const;

 private:
  const MailFiles& files_;
  mutable bool is_unsynced_ = false;
};

}  // namespace team
