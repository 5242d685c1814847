#include "libteam/store/files/file_watcher.h"

#include <unistd.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "libteam/store/board.h"
#include "libteam/store/files/file_board.h"
#include "libteam/store/files/file_board_team.h"
#include "libteam/store/files/file_lives.h"
#include "libteam/store/files/roster.h"
#include "libteam/store/files/task_files.h"

namespace team {

namespace {

constexpr double kRemoval = 0.1;  // seconds between the removals of two files
constexpr double kLongestRemoval = 5;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The part of a file name before one of the endings that tell of a member.
std::optional<std::string> member_of(std::string_view name, std::initializer_list<std::string_view> endings) {
  for (const std::string_view ending : endings) {
    if (name.size() > ending.size() && name.ends_with(ending)) {
      return std::string(name.substr(0, name.size() - ending.size()));
    }
  }
  return std::nullopt;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "events.jsonl" or "events-<number>.jsonl": a member may be called events-1.
bool is_of_log(std::string_view name) {
  constexpr std::string_view kPrefix = "events-", kEnding = ".jsonl";
  if (name == "events.jsonl") return true;
  if (!name.starts_with(kPrefix) || !name.ends_with(kEnding)) return false;
  return is_number(name.substr(kPrefix.size(), name.size() - kPrefix.size() - kEnding.size()));
}

// The member whose messages this file contains or holds; none for other files.
std::optional<std::string> reader_of(std::string_view name) {
  constexpr std::string_view kHold = ".hold";
  if (name.ends_with(kHold)) name.remove_suffix(kHold.size());
  if (const auto reader = member_of(name, {"_inbox.jsonl", "_backlog.jsonl", "_backlog.pos", "_taken.jsonl"})) {
    return reader;
  }
  // "NAME_taken-2.jsonl", of a further reader.
  constexpr std::string_view kTaken = "_taken-";
  auto reader = member_of(name, {".jsonl"});
  const std::size_t at = reader ? reader->rfind(kTaken) : std::string::npos;
  if (at == std::string::npos || at == 0 || !is_number(reader->substr(at + kTaken.size()))) return std::nullopt;
  return reader->substr(0, at);
}

std::string inbox_lock_of(const std::string& member) { return member + "_inbox.lock"; }

}  // namespace

TeamChanges topics_of(const std::vector<std::string>& names) {
  TeamChanges changes{.any = true};
  for (const std::string& name : names) {
    // A member may be called 7: then 7.json may be a task, or its state.
    if (const auto id = TaskFiles::id_of(name)) changes.tasks.push_back(*id);
    if (name == kTeamConfig) {
      changes.team = true;
    } else if (is_of_log(name)) {
      changes.events = true;
    } else if (const auto reader = reader_of(name)) {
      changes.mail.push_back(*reader);
      if (const auto inbox = member_of(name, {"_inbox.jsonl"})) changes.inboxes.push_back(*inbox);
    } else if (const auto living = member_of(name, {".alive"})) {
      changes.lives.push_back(*living);
    } else if (const auto member = member_of(name, {".json"})) {
      changes.states.push_back(*member);
    } else if (const auto speaker = member_of(name, {".log"})) {
      changes.outputs.push_back(*speaker);
    }
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
  if (!own_inbox_ && !team_->has(kTeamConfig)) return;
  add_topic();
  watch_.add(*team_, kTeamConfig, Watch::Kind::written);
  wants_configuration_ = true;
}

void FileWatcher::watch_life(const std::string& member) {
  add_topic();
  watch_.add(*team_, alive_file(member), Watch::Kind::written);
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
  return wants_team_ &&
         (changes.events || !changes.states.empty() || !changes.mail.empty() || !changes.outputs.empty());
}

// True if files are gone that only go with the whole store, or with a deleted task.
bool FileWatcher::has_shrunk(const Changes& changes, const TeamChanges& topics) const {
  if (changes.all) {
    if (!team_ || (!wants_team_ && !wants_configuration_)) return false;
    return !team_->has(kTeamConfig) || (inbox_ && !team_->has(inbox_lock_of(*inbox_)));
  }
  if (!changes.removed) return false;
  const auto is_gone = [&](TaskId id) {
    const std::string path = board_path_ + "/" + TaskFiles::file_of(id);
    return ::access(path.c_str(), F_OK) != 0;
  };
  const auto has_no_life = [&](const std::string& member) { return !team_->has(alive_file(member)); };
  if (wants_tasks_ && std::any_of(topics.tasks.begin(), topics.tasks.end(), is_gone)) return true;
  if (!team_) return false;
  if (topics.team && !team_->has(kTeamConfig)) return true;
  return std::any_of(topics.lives.begin(), topics.lives.end(), has_no_life);
}

void FileWatcher::await_removal() {
  const Deadline limit = Deadline::in(kLongestRemoval);
  while (!limit.passed() && watch_.wait(Deadline::in(kRemoval)).removed) continue;
}

}  // namespace team
