// Messages that a reader has taken and not yet acknowledged: a slot is the file of one batch.
//
// A reader keeps a lock on its slot until it acknowledges. If it dies, the kernel releases the lock, and the next
// reader puts the messages back. The mtimes of slots have the order in which they were taken, even if the clock jumped.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "libteam/store/files/rejected_lines.h"

namespace team {

class MailSlots {
 public:
  // Both outlive this.
  MailSlots(const MailFiles& files, const RejectedLines& rejected) : files_(files), rejected_(rejected) {}

  struct Slot {
    std::string name;
    bool busy = false;      // a living reader has it
    std::int64_t date = 0;  // when it was taken
  };
  // All slots, in the order in which they were taken.
  std::vector<Slot> all() const;
  // The slots whose reader died or held them too long. `run` is the run of the owner that asks.
  std::vector<std::string> abandoned(const std::vector<Slot>& all, const std::optional<std::string>& run) const;

  // The messages in these slots, each once, except those `seen` elsewhere.
  using Parse = std::function<std::optional<Message>(const std::string& line)>;
  std::vector<Message> read(const std::vector<std::string>& slots, const Parse& parse,
                            std::set<std::string> seen) const;

  // From here on the caller holds the lock of the mailbox, except for release() and remove().

  // A new slot, locked by its reader before the slot has its name. Its date is later than `others`, the latest date of
  // the slots of other readers (0: there are none). Throws again if there are too many.
  struct Taken {
    std::string name;
    Fd lock;
  };
  Taken write(const std::vector<Message>& messages, std::int64_t others) const;
  // The same by renaming a file that has the messages.
  Taken adopt(const std::string& file, std::int64_t others) const;

  // Merges held slots, so that they do not use up the slots of readers. It merges only slots without the slot of a
  // reader between them. If the caller dies here, some messages are in two slots, and both slots are held.
  void merge_held() const;
  void hold(const std::string& slot, double seconds, const std::optional<std::string>& run) const;
  void release(const std::string& slot) const;

  // Removes held messages and returns them; all of `ids` or none, and then throws not_found. `removed` is called with
  // messages that are gone.
  std::vector<Message> acknowledge(const std::vector<std::string>& ids,
                                   const std::function<void(const std::vector<Message>&)>& removed) const;

 private:
  std::string free_name() const;
  bool waits_for_ack(const Slot& slot) const { return files_.folder->has(layout::hold_file(slot.name)); }
  bool is_held(const Slot& slot, const std::optional<std::string>& run) const;
  void rewrite(const Slot& slot, const std::vector<Message>& messages) const;
  void put_together(const std::vector<Slot>& slots) const;
  void remove_acknowledged(const std::string& slot) const;

  const MailFiles& files_;
  const RejectedLines& rejected_;
};

}  // namespace team
