#include "libteam/store/live_team.h"

#include <fcntl.h>

#include <algorithm>

#include "libteam/base/terminal_text.h"
#include "libteam/base/utf8.h"
#include "libteam/store/files/mailbox.h"
#include "libteam/store/files/task_files.h"
#include "libteam/store/requests.h"
#include "libteam/store/status.h"
#include "libteam/system/lines.h"

namespace team {

namespace {

constexpr std::size_t kMostEvents = 1000;     // that are kept, and read at a time
constexpr std::size_t kMostUnread = 100;      // beyond that nobody counts
constexpr std::size_t kMostSpeech = 65536;    // bytes of what a member said
constexpr std::size_t kFarthestBack = 20000;  // events, in search of it
constexpr double kRestless = 1;               // seconds in which a lock is let go

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

// Whose letters are in this file, or held by it; none if it is of something else.
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

void keep_end(std::string& text, std::size_t most) {
  if (text.size() <= most) return;
  const std::size_t line = text.find('\n', text.size() - most);
  text.erase(0, line == std::string::npos ? text.size() - most : line + 1);
}

std::string last_line(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return "";
  text = text.substr(0, end + 1);
  const std::size_t start = text.find_last_of("\r\n");
  return std::string(start == std::string_view::npos ? text : text.substr(start + 1));
}

// An event of a member as somebody reads it who wants to know what it does; empty for most.
std::string as_speech(const Envelope& envelope) {
  const std::string& type = envelope.type;
  if (type == "TEXT_MESSAGE_CONTENT") return detail(envelope, "delta");
  if (type == "TEXT_MESSAGE_END") return "\n";
  if (type == "STEP_STARTED") return fmt::format("\n== {}\n", one_line(detail(envelope, "step_name")));
  if (type == "TOOL_CALL_START") return fmt::format("\n> {}", detail(envelope, "tool_call_name"));
  if (type == "TOOL_CALL_ARGS") return fmt::format(" {}\n", cut_characters(one_line(detail(envelope, "delta")), 300));
  if (type == "MESSAGE_SENT") {
    return fmt::format("\n> to {}: {}\n", detail(envelope, "recipient"), detail(envelope, "text"));
  }
  if (type == "RUN_ERROR") return fmt::format("\n! {}\n", detail(envelope, "message"));
  return "";
}

void append_speech(std::string& text, std::string_view piece) {
  if (piece.starts_with('\n') && (text.empty() || text.ends_with('\n'))) piece.remove_prefix(1);
  text += piece;
}

}  // namespace

LiveTeam::LiveTeam(const Roster& roster, Board& board, Team team, std::string reader, double lock_timeout)
    : roster_(roster),
      board_(board),
      team_(std::move(team)),
      lock_timeout_(lock_timeout),
      folder_(roster.folder_of(team_.name)),
      log_(folder_, lock_timeout) {
  scene_.reader = std::move(reader);
}

Watch LiveTeam::make_watch() const {
  Watch watch(folder_);
  board_.watch(watch);
  return watch;
}

// The store may have been removed and made again.
void LiveTeam::reopen() {
  const Board::Place place = board_.reopen();
  if (place == Board::Place::missing) fail(Code::not_found, "the board '{}' was removed", board_.folder().path());
  board_.reopen_team();
  has_moved_ = has_moved_ || place == Board::Place::another;
  if (folder_.is_in_place()) return;
  folder_ = roster_.folder_of(team_.name);
  has_moved_ = true;
  if (log_.last_sequence() < last_) last_ = 0;
}

void LiveTeam::look_at_all() {
  missed_ = true;
  reopen();
  const auto trouble = try_team();
  scene_.board.clear();
  scene_.broken.clear();
  board_.view().each(
      {}, BoardView::Detail::open_blockers, [&](const SeenTask& seen) { scene_.board[seen.task.id] = seen.task; },
      [&](TaskId id, const Error& error) { scene_.broken[id] = error.what(); });
  read_events();
  look_at_plans();
  arrange(scene_);
  refresh_speech();
  if (trouble) throw *trouble;
  missed_ = false;
}

void LiveTeam::look(const Changes& changes) {
  if (changes.all || missed_) return look_at_all();
  missed_ = true;
  std::optional<Error> trouble;
  std::set<std::string> members, letters;
  std::set<TaskId> tasks;
  bool team = false, events = false;
  for (const std::string& name : changes.names) {
    if (const auto id = TaskFiles::id_of(name)) tasks.insert(*id);
    if (name == kTeamConfig) team = true;
    else if (is_of_log(name)) events = true;
    else if (const auto reader = reader_of(name)) letters.insert(*reader);
    else if (const auto member = member_of(name, {".json", ".alive"})) members.insert(*member);
    if (const auto ending = member_of(name, {".alive"})) restless_.insert_or_assign(*ending, Deadline::in(kRestless));
  }
  for (auto one = restless_.begin(); one != restless_.end();) {
    members.insert(one->first);
    one = one->second.passed() ? restless_.erase(one) : std::next(one);
  }
  if (team) trouble = try_team();
  else look_at(members);
  count_letters(letters);
  look_at_tasks(tasks);
  if (events) read_events();
  if (plans_changed_) look_at_plans();
  if (!tasks.empty()) arrange(scene_);
  else if (team || events || !members.empty()) arrange_members(scene_);
  refresh_speech();
  if (trouble) throw *trouble;
  missed_ = false;
}

// Somebody edits the file this moment, or has broken it: the board goes on.
std::optional<Error> LiveTeam::try_team() {
  try {
    look_at_team();
    return std::nullopt;
  } catch (const Error& error) {
    if (error.code() != Code::corrupt) throw;
    return error;
  }
}

void LiveTeam::look_at_team() {
  team_ = roster_.get(team_.name);
  scene_.team = team_.name;
  scene_.lead = team_.lead;
  std::erase_if(scene_.members, [&](const ViewMember& member) { return team_.find(member.status.name) == nullptr; });
  std::set<std::string> names;
  for (std::size_t i = 0; i < team_.members.size(); ++i) {
    const std::string& name = team_.members[i].name;
    names.insert(name);
    const auto known = std::find_if(scene_.members.begin(), scene_.members.end(),
                                    [&](const ViewMember& member) { return member.status.name == name; });
    ViewMember& member = known != scene_.members.end() ? *known : scene_.members.emplace_back();
    member.status.name = name;
    member.number = i;
  }
  look_at(names);
  names.insert(scene_.reader);
  count_letters(names);
}

void LiveTeam::look_at(const std::set<std::string>& members) {
  Team part = team_;
  std::erase_if(part.members, [&](const Member& member) { return !members.contains(member.name); });
  if (part.members.empty()) return;
  for (MemberStatus& status : look_at_members(roster_, part)) {
    for (ViewMember& member : scene_.members) {
      if (member.status.name != status.name) continue;
      status.unread = member.status.unread;
      if (!member.status.last_words.empty()) status.last_words = member.status.last_words;
      member.status = std::move(status);
      break;
    }
  }
}

std::size_t LiveTeam::unread_of(const std::string& member) const {
  std::size_t count = 0;
  const Mailbox mailbox(folder_, member, Durability::process, lock_timeout_);
  mailbox.peek({}, kMostUnread, std::nullopt, [&](const Message&) { ++count; });
  return count;
}

void LiveTeam::count_letters(const std::set<std::string>& members) {
  for (ViewMember& member : scene_.members) {
    if (members.contains(member.status.name)) member.status.unread = unread_of(member.status.name);
  }
  if (members.contains(scene_.reader)) scene_.unread = unread_of(scene_.reader);
}

void LiveTeam::look_at_tasks(const std::set<TaskId>& tasks) {
  for (const TaskId id : tasks) {
    scene_.broken.erase(id);
    try {
      scene_.board[id] = board_.view().get(id);
    } catch (const Error& error) {
      scene_.board.erase(id);
      if (error.code() == Code::corrupt) scene_.broken[id] = error.what();
      else if (error.code() != Code::not_found) throw;
    }
  }
}

void LiveTeam::look_at_plans() {
  plans_changed_ = false;
  for (ViewMember& member : scene_.members) member.plan.reset();
  const Requests requests(folder_, Durability::process, lock_timeout_);
  for (const Request& request : requests.pending([](const Error&) {})) {
    if (request.kind != RequestKind::plan) continue;
    for (ViewMember& member : scene_.members) {
      if (member.status.name == request.from) member.plan = request;
    }
  }
}

// From the last one back to the last that was seen, so the length of the log does not matter.
void LiveTeam::read_events() {
  std::vector<std::string> lines;
  log_.each_backward([&](std::string_view line) {
    const auto seq = sequence_of(line);
    if (!seq) return true;
    if (*seq <= last_) return false;
    lines.emplace_back(line);
    return lines.size() < kMostEvents;
  });
  if (lines.size() == kMostEvents) plans_changed_ = true;  // some were passed over
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    last_ = sequence_of(*line).value_or(last_);
    try {
      hear(parse_envelope(*line, "events.jsonl"));
    } catch (const Error& error) {
      if (error.code() != Code::corrupt) throw;
    }
  }
}

void LiveTeam::hear(const Envelope& envelope) {
  if (envelope.type.starts_with("PLAN_")) plans_changed_ = true;
  if (envelope.agent == scene_.speaker && !scene_.speaker.empty()) {
    append_speech(heard_, as_speech(envelope));
    keep_end(heard_, kMostSpeech);
  }
  auto happening = log_entry_of(envelope);
  if (!happening) return;
  for (ViewMember& member : scene_.members) {
    if (member.status.name != envelope.agent) continue;
    std::string& words = member.status.last_words;
    if (happening->type == "says") {
      std::string& speech = spoken_in_[envelope.agent];
      const bool goes_on = speech == happening->speech;
      speech = happening->speech;
      // Words come in pieces, not in lines.
      std::string line = goes_on && happening->text.find('\n') == std::string::npos ? words + happening->text
                                                                                    : last_line(happening->text);
      constexpr std::size_t kLongest = 400;
      if (line.size() > kLongest) line = repair_utf8(line.substr(line.size() - kLongest));
      if (!line.empty()) words = std::move(line);
    } else if (envelope.type == "MESSAGE_SENT") {
      words = fmt::format("to {}: {}", detail(envelope, "recipient"), detail(envelope, "summary"));
      spoken_in_.erase(envelope.agent);
    }
    break;
  }
  add(scene_, std::move(*happening), kMostEvents);
}

void LiveTeam::listen_to(const std::string& member) {
  if (scene_.speaker == member) return;
  scene_.speaker = member;
  heard_.clear();
  if (member.empty()) return refresh_speech();
  std::vector<std::string> pieces;
  std::size_t size = 0, passed = 0;
  // Parsing is what costs: most lines are of others.
  const std::string sign = fmt::format("\"agent_id\":\"{}\"", member);
  log_.each_backward([&](std::string_view line) {
    if (sequence_of(line).value_or(0) > last_) return true;
    if (line.find(sign) != std::string_view::npos) {
      try {
        pieces.push_back(as_speech(parse_envelope(line, "events.jsonl")));
        size += pieces.back().size();
      } catch (const Error& error) {
        if (error.code() != Code::corrupt) throw;
      }
    }
    return size < kMostSpeech && ++passed < kFarthestBack;
  });
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) append_speech(heard_, *piece);
  refresh_speech();
}

// Who says nothing to the log may have one of its own.
void LiveTeam::refresh_speech() {
  if (scene_.speaker.empty()) scene_.speech.clear();
  else scene_.speech = heard_.empty() ? read_log_of(scene_.speaker) : heard_;
}

std::string LiveTeam::read_log_of(const std::string& member) const {
  const Fd fd = folder_.open_if_there(member + ".log", O_RDONLY);
  if (!fd) return "";
  const off_t size = size_of(fd);
  const off_t start = std::max<off_t>(0, size - static_cast<off_t>(kMostSpeech));
  return repair_utf8(read_at(fd, start, kMostSpeech));
}

}  // namespace team
