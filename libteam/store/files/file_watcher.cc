#include "libteam/store/files/file_watcher.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "libteam/store/board.h"
#include "libteam/store/files/file_board.h"
#include "libteam/store/files/file_board_team.h"
#include "libteam/store/files/file_lives.h"
#include "libteam/store/files/layout.h"
#include "libteam/store/files/roster.h"
#include "libteam/store/files/task_files.h"

namespace team {

namespace {

using layout::MemberFile;

constexpr double kRemoval = 0.1;  // seconds between the removals of two files
constexpr double kLongestRemoval = 5;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void add_topic_of(const layout::FileOfMember& file, TeamChanges& changes) {
  switch (file.kind) {
    case MemberFile::inbox: changes.inboxes.push_back(file.member); [[fallthrough]];
    case MemberFile::backlog:
    case MemberFile::backlog_position:
    case MemberFile::taken:
    case MemberFile::hold: changes.mail.push_back(file.member); break;
    case MemberFile::alive: changes.lives.push_back(file.member); break;
    case MemberFile::state: changes.states.push_back(file.member); break;
    case MemberFile::output: changes.outputs.push_back(file.member); break;
    case MemberFile::transcript:
    case MemberFile::inbox_lock:
    case MemberFile::rejected: break;
  }
}

}  // namespace

TeamChanges topics_of(const std::vector<std::string>& names) {
  TeamChanges changes{.any = true};
  for (const std::string& name : names) {
    // A member may be called 7: then 7.json may be a task, or its state.
    if (const auto id = layout::task_of(name)) changes.tasks.push_back(*id);
    if (name == layout::kConfig) changes.team = true;
    else if (name == layout::kQuotas) changes.quotas = true;
    else if (layout::is_event_file(name)) changes.events = true;
    else if (auto file = layout::member_file(name)) add_topic_of(*file, changes);
  }
  return changes;
}

void FileWatcher::begin(const Board& board) {
  begin(team_folder_of(board));
  board_ = &dynamic_cast<const FileBoard&>(board.engine()).folder();
  board_path_ = board_->path();
}

void FileWatcher::begin(const Board& board, const LifeEngine& lives) {
  begin(board);
  team_ = static_cast<const FileLives&>(lives).folder();
}

void FileWatcher::begin(std::shared_ptr<const Folder> team) {
  clear();
  team_ = std::move(team);
}

void FileWatcher::clear() {
  if (!std::exchange(is_clear_, true)) watch_.clear();
  board_ = nullptr;
  own_inbox_.reset();
  inbox_.reset();
  team_.reset();
  has_topics_ = wants_tasks_ = wants_team_ = wants_configuration_ = wants_lives_ = false;
}

void FileWatcher::add_topic() {
  has_topics_ = true;
  is_clear_ = false;
}

void FileWatcher::wake_on(int fd) {
  watch_.wake_on(fd);
  is_clear_ = false;
}

void FileWatcher::wake_at(std::int64_t boot_ns) {
  watch_.wake_at(boot_ns);
  is_clear_ = false;
}

void FileWatcher::watch_tasks() {
  if (board_ == nullptr) return;
  add_topic();
  watch_.add(*board_);
  wants_tasks_ = true;
}

void FileWatcher::watch_team() {
  if (!team_) return;
  add_topic();
  watch_.add(*team_);
  wants_team_ = true;
}

void FileWatcher::watch_configuration() {
  if (!team_) return;
  // Of a team that is being removed only the rest is watched. An idle member polls until its team is back.
  if (!own_inbox_ && !team_->has(layout::kConfig)) return;
  add_topic();
  watch_.add(*team_, layout::kConfig, Watch::Kind::written);
  wants_configuration_ = true;
}

void FileWatcher::watch_quotas() {
  if (!team_ || !team_->has(layout::kQuotas)) return;
  add_topic();
  watch_.add(*team_, layout::kQuotas, Watch::Kind::written);
}

void FileWatcher::watch_life(const std::string& member) {
  add_topic();
  watch_.add(*team_, layout::alive_file(member), Watch::Kind::written);
  wants_lives_ = true;
}

// The file itself comes and goes.
void FileWatcher::watch_inbox(const std::string& member) {
  add_topic();
  if (!wants_team_) watch_.add(*team_);
  inbox_ = member;
}

void FileWatcher::watch_own_inbox(const std::string& member) {
  own_inbox_.emplace(*team_, member, Durability::process, 0);
  add_topic();
  own_inbox_->watch(watch_);
  inbox_ = member;
}

bool FileWatcher::is_told() const {
  if (!watch_.is_told()) return false;
  return has_topics_ || !team_ || Watch::is_told_of(*team_);
}

TeamChanges FileWatcher::wait(const Deadline& deadline) {
  while (true) {
    TeamChanges changes = translate(watch_.wait(deadline));
    if (is_wanted(changes) || deadline.passed()) return changes;
  }
}

TeamChanges FileWatcher::translate(const Changes& changes) const {
  TeamChanges topics = topics_of(changes.names);
  topics.any = changes.any;
  topics.everything = changes.all;
  topics.untold = changes.untold;
  topics.woken = changes.woken;
  topics.removed = has_shrunk(changes, topics);
  // Somebody came to the mailbox, perhaps only to look.
  if (own_inbox_ && !topics.everything && own_inbox_->has_new()) {
    topics.any = true;
    topics.inboxes.push_back(*inbox_);
  }
  return topics;
}

bool FileWatcher::is_wanted(const TeamChanges& changes) const {
  if (changes.everything || changes.woken) return true;
  if (wants_tasks_ && !changes.tasks.empty()) return true;
  if ((wants_configuration_ || wants_team_) && changes.team) return true;
  if (inbox_ && contains(changes.inboxes, *inbox_)) return true;
  if ((wants_lives_ || wants_team_) && !changes.lives.empty()) return true;
  return wants_team_ && (changes.events || changes.quotas || !changes.states.empty() || !changes.mail.empty() ||
                         !changes.outputs.empty());
}

// True if files are gone that only go with the whole store, or with a deleted task.
bool FileWatcher::has_shrunk(const Changes& changes, const TeamChanges& topics) const {
  if (changes.all) {
    if (!team_ || (!wants_team_ && !wants_configuration_)) return false;
    return !team_->has(layout::kConfig) || (inbox_ && !team_->has(layout::inbox_lock(*inbox_)));
  }
  if (!changes.removed) return false;
  const auto is_gone = [&](TaskId id) {
    const std::string path = board_path_ + "/" + layout::task_file(id);
    return ::access(path.c_str(), F_OK) != 0;
  };
  const auto has_no_life = [&](const std::string& member) { return !team_->has(layout::alive_file(member)); };
  if (wants_tasks_ && std::any_of(topics.tasks.begin(), topics.tasks.end(), is_gone)) return true;
  if (!team_) return false;
  if (topics.team && !team_->has(layout::kConfig)) return true;
  return std::any_of(topics.lives.begin(), topics.lives.end(), has_no_life);
}

void FileWatcher::await_removal() {
  const Deadline limit = Deadline::in(kLongestRemoval);
  while (!limit.passed() && watch_.wait(Deadline::in(kRemoval)).removed) continue;
}

}  // namespace team
