// The mail of one member in files; mail_files.h lists them.
//
// Taking all messages is one rename. Taking a part is a copy, followed by a step forward in the inbox. So a message is
// in two places for a moment, but never in none. MailQueue has the waiting messages, MailSlots the taken ones.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libteam/store/files/mail_files.h"
#include "libteam/store/mailbox.h"

namespace team {

class Watch;

class FileMailbox : public Mailbox {
 public:
  // In the folder of a team. `owner` is a valid name.
  FileMailbox(std::shared_ptr<const Folder> folder, std::string owner, Durability durability, double lock_timeout);
  // The same with a folder that outlives this and its batches.
  FileMailbox(const Folder& folder, std::string owner, Durability durability, double lock_timeout);

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

  // Makes `watch` wake whenever a process comes to this mailbox, to append or to look; has_new() says then whether a
  // message waits. Changes of other files in the folder do not wake it. nudge() wakes it with `all`.
  void watch(Watch& watch) const;

 private:
  friend class FileBatch;
  struct Parts;
  std::vector<Message> taken_only(const std::vector<std::string>& slots,
                                  const std::function<std::optional<Message>(const std::string&)>& parse) const;
  std::int64_t return_abandoned(const std::optional<std::string>& run) const;

  std::shared_ptr<const Parts> parts_;
};

}  // namespace team
