#include "libteam/store/files/mail_slots.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>

#include "libteam/base/clock.h"
#include "libteam/base/json.h"
#include "libteam/base/terminal_text.h"
#include "libteam/record/hold.h"
#include "libteam/system/flock.h"
#include "libteam/system/new_file.h"

namespace team {

namespace {

constexpr int kMostReaders = 8;  // of one mailbox at the same time

// Called before the slot has its name.
void mark_as_taken(const Fd& fd, std::int64_t others) {
  if (others > 0) set_mtime(fd, std::max(others + 1, mtime_of(fd)));
}

}  // namespace

std::vector<MailSlots::Slot> MailSlots::all() const {
  std::vector<Slot> all;
  for (int i = 1; i <= kMostReaders; ++i) {
    const std::string name = layout::taken_file(files_.owner, i);
    const auto stamp = files_.folder->stamp(name);
    if (stamp) all.push_back({name, look_at_lock(*files_.folder, name) == Held::yes, stamp->mtime_ns});
  }
  std::ranges::stable_sort(all, {}, &Slot::date);
  return all;
}

bool MailSlots::is_held(const Slot& slot, const std::optional<std::string>& run) const {
  const std::string name = layout::hold_file(slot.name);
  const auto contents = files_.folder->read(name, JsonLimits{}.bytes);
  // Empty: durability process and a power cut. The messages are delivered again.
  if (!contents || contents->text.empty()) return false;
  const Hold hold = parse_hold(contents->text, files_.folder->path_of(name));
  const std::string boot = boot_id();
  const bool restarted = !boot.empty() && hold.boot != boot;  // without boot ids only the time counts
  const bool over = restarted || static_cast<double>(boot_ns()) / 1e9 >= hold.until;
  return !over && (!run || !hold.run || run == hold.run);
}

std::vector<std::string> MailSlots::abandoned(const std::vector<Slot>& all,
                                              const std::optional<std::string>& run) const {
  std::vector<std::string> names;
  for (const Slot& slot : all) {
    if (!slot.busy && !is_held(slot, run)) names.push_back(slot.name);
  }
  return names;
}

std::vector<Message> MailSlots::read(const std::vector<std::string>& slots, const Parse& parse,
                                     std::set<std::string> seen) const {
  std::vector<Message> messages;
  for (const std::string& slot : slots) {
    const Fd fd = files_.folder->open_if_there(slot, O_RDONLY);
    if (!fd) continue;  // its reader acknowledged it this moment
    LineReader reader(fd, 0);
    std::set<std::string> here;  // the same id twice in one file was written by hand
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

std::string MailSlots::free_name() const {
  for (int i = 1; i <= kMostReaders; ++i) {
    const std::string name = layout::taken_file(files_.owner, i);
    if (files_.folder->has(name)) continue;
    // A reader that removed its slot died before it removed the hold.
    if (files_.folder->has(layout::hold_file(name))) files_.folder->remove(layout::hold_file(name));
    return name;
  }
  fail(Code::again, "{} readers are at the inbox of {} already", kMostReaders, files_.owner);
}

MailSlots::Taken MailSlots::write(const std::vector<Message>& messages, std::int64_t others) const {
  const std::string name = free_name();
  NewFile file(*files_.folder, lines_of(messages), files_.durability);
  mark_as_taken(file.lock(), others);
  file.replace(*files_.folder, name);
  return {name, file.keep_locked()};
}

MailSlots::Taken MailSlots::adopt(const std::string& file, std::int64_t others) const {
  const Folder& folder = *files_.folder;
  const std::string name = free_name();
  Fd fd = folder.open(file, O_RDONLY);
  if (lock_file(folder, file, fd, LOCK_EX | LOCK_NB) != 0) fail_errno("cannot lock", folder.path_of(file));
  mark_as_taken(fd, others);
  folder.rename_into(file, folder, name);
  return {name, std::move(fd)};
}

// The same slot with other contents; its date stays.
void MailSlots::rewrite(const Slot& slot, const std::vector<Message>& messages) const {
  NewFile file(*files_.folder, lines_of(messages), files_.durability);
  set_mtime(file.lock(), slot.date);
  file.replace(*files_.folder, slot.name);
}

void MailSlots::merge_held() const {
  const auto slots = all();
  const auto is_barrier = [&](const Slot& slot) { return slot.busy || !waits_for_ack(slot); };
  for (auto first = slots.begin(); first != slots.end();) {
    const auto end = std::find_if(first, slots.end(), is_barrier);
    if (end - first > 1) put_together({first, end});
    first = end == slots.end() ? end : end + 1;
  }
}

void MailSlots::put_together(const std::vector<Slot>& slots) const {
  std::vector<std::string> names;
  for (const Slot& slot : slots) names.push_back(slot.name);
  const auto parse = [&](const std::string& line) { return rejected_.parse(line); };
  rewrite(slots.back(), read(names, parse, {}));
  names.pop_back();
  for (const std::string& name : names) {
    files_.folder->remove(name);
    files_.folder->remove(layout::hold_file(name));
  }
}

void MailSlots::hold(const std::string& slot, double seconds, const std::optional<std::string>& run) const {
  const Hold hold{boot_id(), static_cast<double>(boot_ns()) / 1e9 + seconds, run};
  replace_file(*files_.folder, layout::hold_file(slot), to_file(hold), files_.durability);
}

void MailSlots::release(const std::string& slot) const { files_.folder->remove(layout::hold_file(slot)); }

std::vector<Message> MailSlots::acknowledge(const std::vector<std::string>& ids,
                                            const std::function<void(const std::vector<Message>&)>& removed) const {
  const std::set<std::string> named(ids.begin(), ids.end());
  struct Part {
    Slot slot;
    std::vector<Message> kept, gone;
  };
  std::vector<Part> parts;
  std::set<std::string> found;
  const auto parse = [&](const std::string& line) { return rejected_.parse(line); };
  for (const Slot& slot : all()) {
    if (!waits_for_ack(slot)) continue;
    Part part{slot, {}, {}};
    for (Message& message : read({slot.name}, parse, {})) {
      const bool is_named = named.contains(message.id);
      if (is_named) found.insert(message.id);
      (is_named ? part.gone : part.kept).push_back(std::move(message));
    }
    if (!part.gone.empty()) parts.push_back(std::move(part));
  }
  for (const std::string& id : ids) {
    if (!found.contains(id)) fail(Code::not_found, "{} holds no message '{}'", files_.owner, one_line(id));
  }
  std::vector<Message> acknowledged;
  for (Part& part : parts) {
    const auto let_go = [&] {
      if (!part.kept.empty()) rewrite(part.slot, part.kept);
      else remove_acknowledged(part.slot.name);
    };
    if (acknowledged.empty()) let_go();
    else after_change(let_go);
    after_change([&] { removed(part.gone); });
    for (Message& message : part.gone) {
      if (found.erase(message.id) > 0) acknowledged.push_back(std::move(message));  // it may be in two slots
    }
  }
  return acknowledged;
}

void MailSlots::remove_acknowledged(const std::string& slot) const {
  files_.folder->remove(slot);
  after_change([&] {
    files_.folder->remove(layout::hold_file(slot));
    if (files_.durability == Durability::power) files_.folder->sync();
  });
}

}  // namespace team
