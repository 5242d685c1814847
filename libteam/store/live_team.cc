#include "libteam/store/live_team.h"

#include <algorithm>

#include "libteam/base/terminal_text.h"
#include "libteam/base/utf8.h"
#include "libteam/store/life.h"
#include "libteam/store/local_files.h"
#include "libteam/store/status.h"

namespace team {

namespace {

constexpr std::size_t kMostEvents = 1000;     // that are kept, and read at a time
constexpr std::size_t kMostUnread = 100;      // beyond that nobody counts
constexpr std::size_t kMostSpeech = 65536;    // bytes of what a member said
constexpr std::size_t kFarthestBack = 20000;  // events, in search of it
constexpr double kRestless = 1;               // seconds in which a lock is let go

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

LiveTeam::LiveTeam(const Engine& engine, Board& board, Team team, std::string reader)
    : engine_(engine), board_(board), team_(std::move(team)) {
  mail_.emplace(engine_.open_team(team_), team_);
  scene_.reader = std::move(reader);
}

void LiveTeam::watch(Watcher& watcher) const {
  watcher.begin(board_);
  watcher.watch_team();
  watcher.watch_tasks();
}

// The store may have been removed and made again.
void LiveTeam::reopen() {
  const Board::Place place = board_.reopen();
  if (place == Board::Place::missing) fail(Code::not_found, "the board '{}' was removed", board_.path());
  has_moved_ = has_moved_ || place == Board::Place::another;
  if (board_.reopen_team() != Board::Place::another) return;
  mail_.emplace(engine_.open_team(team_), team_);
  has_moved_ = true;
  if (mail_->events().last_sequence() < last_) last_ = 0;
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

void LiveTeam::look(const TeamChanges& changes) {
  if (changes.everything || missed_) return look_at_all();
  missed_ = true;
  std::optional<Error> trouble;
  std::set<std::string> members(changes.states.begin(), changes.states.end());
  for (const std::string& name : changes.lives) restless_.insert_or_assign(name, Deadline::in(kRestless));
  for (auto one = restless_.begin(); one != restless_.end();) {
    members.insert(one->first);
    one = one->second.passed() ? restless_.erase(one) : std::next(one);
  }
  if (changes.team) trouble = try_team();
  else look_at(members);
  count_letters({changes.mail.begin(), changes.mail.end()});
  look_at_tasks(changes.tasks);
  if (changes.events) read_events();
  if (plans_changed_) look_at_plans();
  if (!changes.tasks.empty()) arrange(scene_);
  else if (changes.team || changes.events || !members.empty()) arrange_members(scene_);
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
  team_ = engine_.get(team_.name);
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
  for (MemberStatus& status : look_at_members(*engine_.open_team(part), part)) {
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
  if (member != "user" && team_.find(member) == nullptr) return count;
  mail_->mailbox(member).peek({}, kMostUnread, std::nullopt, [&](const Message&) { ++count; });
  return count;
}

void LiveTeam::count_letters(const std::set<std::string>& members) {
  for (ViewMember& member : scene_.members) {
    if (members.contains(member.status.name)) member.status.unread = unread_of(member.status.name);
  }
  if (members.contains(scene_.reader)) scene_.unread = unread_of(scene_.reader);
}

void LiveTeam::look_at_tasks(const std::vector<TaskId>& tasks) {
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
  for (const Request& request : mail_->requests().pending([](const Error&) {})) {
    if (!is_for_approval(request.kind)) continue;
    for (ViewMember& member : scene_.members) {
      // The oldest one: an agent may ask for several permissions at once.
      if (member.status.name == request.from && !member.plan) member.plan = request;
    }
  }
}

// From the last one back to the last that was seen, so the length of the log does not matter.
void LiveTeam::read_events() {
  std::vector<std::string> lines;
  mail_->events().each_backward([&](std::string_view line) {
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
      hear(parse_envelope(*line, mail_->events().place()));
    } catch (const Error& error) {
      if (error.code() != Code::corrupt) throw;
    }
  }
}

void LiveTeam::hear(const Envelope& envelope) {
  if (envelope.type.starts_with("PLAN_") || envelope.type.starts_with("PERMISSION_")) plans_changed_ = true;
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
  mail_->events().each_backward([&](std::string_view line) {
    if (sequence_of(line).value_or(0) > last_) return true;
    if (line.find(sign) != std::string_view::npos) {
      try {
        pieces.push_back(as_speech(parse_envelope(line, mail_->events().place())));
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

// A member without words in the event log may have an output of its own.
void LiveTeam::refresh_speech() {
  if (scene_.speaker.empty()) scene_.speech.clear();
  else scene_.speech = heard_.empty() ? read_log_of(scene_.speaker) : heard_;
}

std::string LiveTeam::read_log_of(const std::string& member) const {
  return repair_utf8(board_.lives()->local_files().read_output(member, kMostSpeech));
}

}  // namespace team
