// The contents of large messages: `bodies/<id>` in the folder of a team.
//
// A sender keeps a lock on the content until its messages are delivered. A content without a lock belongs to a message
// in a mailbox, or it is an orphan: its sender died before it delivered, or its reader after it acknowledged.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/record/message.h"
#include "libteam/store/team_engine.h"
#include "libteam/system/file.h"
#include "libteam/system/temporary.h"

namespace team {

// The ids of orphans. Throws again if a mailbox is locked for so long.
std::vector<std::string> lost_bodies(const Folder& team_folder, double lock_timeout);
// Removes orphans, and the temporary files of senders that died; no orphans while a mailbox is in use.
void sweep_bodies(const Folder& team_folder);

bool has_body(const Folder& team_folder, const Message& message);
void each_body_piece(const Folder& team_folder, const Message& message,
                     const std::function<void(std::string_view)>& visit);
void remove_bodies(const Folder& team_folder, const std::vector<Message>& messages);

// Writes one file, which then gets the name of each message.
class FileBodyWriter : public BodyWriter {
 public:
  FileBodyWriter(Folder bodies, Durability durability);

  void append(std::string_view piece) override;
  void publish(const std::vector<std::string>& ids) override;
  void discard(const std::vector<std::string>& ids) override;

 private:
  [[noreturn]] void fail_to_write() const;

  Folder bodies_;
  Durability durability_;
  Temporary file_;
  Fd fd_;
};

}  // namespace team
