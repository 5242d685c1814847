#include "libteam/store/files/bodies.h"

#include <fcntl.h>
#include <unistd.h>

#include <optional>
#include <set>

#include "libteam/base/error.h"
#include "libteam/base/utf8.h"
#include "libteam/store/files/layout.h"
#include "libteam/store/files/mail_files.h"
#include "libteam/system/flock.h"
#include "libteam/system/id.h"
#include "libteam/system/temporary.h"

namespace team {

namespace {

using layout::MemberFile;

// Whether a file of this owner may name the content of a message. A transcript, which may be huge, does not.
bool holds_mail_of(const std::string& owner, std::string_view name) {
  const auto file = layout::member_file(name);
  if (!file || file->member != owner) return false;
  return file->kind == MemberFile::inbox || file->kind == MemberFile::backlog || file->kind == MemberFile::rejected ||
         file->kind == MemberFile::taken;
}

// The member whose unread or taken messages this file belongs to; none for other files.
std::optional<std::string> owner_of(std::string_view name) {
  const auto file = layout::member_file(name);
  if (!file) return std::nullopt;
  switch (file->kind) {
    case MemberFile::inbox:
    case MemberFile::inbox_lock:
    case MemberFile::backlog:
    case MemberFile::backlog_position:
    case MemberFile::taken:
    case MemberFile::hold: return file->member;
    default: return std::nullopt;
  }
}

// Removes from `ids` those that a message of this owner has. Under the lock nothing moves from one file to another.
void erase_wanted(const Folder& folder, const std::string& owner, double lock_timeout, std::set<std::string>& ids) {
  const std::string lock_name = layout::inbox_lock(owner);
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

}  // namespace

std::vector<std::string> lost_bodies(const Folder& team_folder, double lock_timeout) {
  const auto bodies = team_folder.find_beneath(layout::kBodies);
  if (!bodies) return {};
  // First the names, then their locks, then the mail: a content without a lock was delivered before.
  std::set<std::string> lost;
  bodies->each_name([&](const char* name) {
    if (!is_temporary(name)) lost.emplace(name);
  });
  std::erase_if(lost, [&](const std::string& name) { return look_at_lock(*bodies, name) != Held::no; });
  if (lost.empty()) return {};
  std::set<std::string> owners;
  team_folder.each_name([&](const char* entry) {
    if (auto owner = owner_of(entry)) owners.insert(std::move(*owner));
  });
  for (const std::string& owner : owners) erase_wanted(team_folder, owner, lock_timeout, lost);
  return {lost.begin(), lost.end()};
}

void sweep_bodies(const Folder& team_folder) {
  const auto bodies = team_folder.find_beneath(layout::kBodies);
  if (!bodies) return;
  sweep_temporaries(*bodies);
  try {
    for (const std::string& name : lost_bodies(team_folder, 0)) bodies->remove(name);
  } catch (const Error& error) {
    if (error.code() != Code::again) throw;
  }
}

bool has_body(const Folder& team_folder, const Message& message) {
  const auto bodies =
      message.body_size > 0 && is_id(message.id) ? team_folder.find_beneath(layout::kBodies) : std::nullopt;
  return bodies && bodies->has(message.id);
}

void each_body_piece(const Folder& team_folder, const Message& message,
                     const std::function<void(std::string_view)>& visit) {
  const auto bodies = team_folder.find_beneath(layout::kBodies);
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

void remove_bodies(const Folder& team_folder, const std::vector<Message>& messages) {
  for (const Message& message : messages) {
    if (message.body_size == 0 || !is_id(message.id)) continue;
    if (const auto bodies = team_folder.find_beneath(layout::kBodies)) bodies->remove(message.id);
  }
}

FileBodyWriter::FileBodyWriter(Folder bodies, Durability durability)
    : bodies_(std::move(bodies)),
      durability_(durability),
      file_(Temporary::file(bodies_)),
      fd_(bodies_.open(file_.name(), O_WRONLY)) {}

void FileBodyWriter::fail_to_write() const { fail_errno("cannot write in", bodies_.path()); }

void FileBodyWriter::append(std::string_view piece) {
  if (!write_all(fd_.get(), piece)) fail_to_write();
}

void FileBodyWriter::publish(const std::vector<std::string>& ids) {
  if (durability_ == Durability::power && ::fdatasync(fd_.get()) != 0) fail_to_write();
  for (const std::string& id : ids) {
    if (::linkat(bodies_.fd(), file_.name().c_str(), bodies_.fd(), id.c_str(), 0) != 0) fail_to_write();
  }
  if (durability_ == Durability::power) bodies_.sync(Code::io);
  fd_ = Fd();
}

void FileBodyWriter::discard(const std::vector<std::string>& ids) {
  for (const std::string& id : ids) ::unlinkat(bodies_.fd(), id.c_str(), 0);
}

}  // namespace team
