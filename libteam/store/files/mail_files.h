// Where the mail of one member lies in the folder of a team:
//
//   NAME_inbox.jsonl       messages not yet taken, appended under NAME_inbox.lock; other programs may do the same
//   NAME_backlog.jsonl     the older part of them, once a reader took only some; NAME_backlog.pos says from where on
//   NAME_taken.jsonl       taken by a reader and not yet acknowledged; -2, -3, … for further readers at the same time
//   NAME_taken.jsonl.hold  says that these wait for team-ack, and until when
//   NAME_rejected.jsonl    lines that are no messages, with the reason
//   bodies/ID              the content of a large message
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libteam/record/message.h"
#include "libteam/store/files/layout.h"
#include "libteam/system/file.h"
#include "libteam/system/lines.h"
#include "libteam/system/lock.h"

namespace team {

struct MailFiles {
  std::shared_ptr<const Folder> folder;
  std::string owner;
  Durability durability = Durability::power;
  double lock_timeout = 0;

  // A process changes these files only while it holds this lock.
  Lock lock() const { return Lock::acquire(*folder, layout::inbox_lock(owner), lock_timeout); }
};

// Nobody writes while a reader holds the lock: a line without an end was left by a writer that died.
inline constexpr auto kTornIsALine = LineReader::Tail::is_a_line;

std::string lines_of(const std::vector<Message>& messages);

}  // namespace team
