#include "libteam/store/files/layout.h"

#include <fmt/core.h>

#include <array>
#include <utility>

#include "libteam/base/number.h"
#include "libteam/system/id.h"

namespace team::layout {

namespace {

constexpr std::string_view kTaskSuffix = ".json";
constexpr std::string_view kRequestSuffix = ".json";
constexpr std::string_view kOldEventsPrefix = "events-";
constexpr std::string_view kLines = ".jsonl";
constexpr std::string_view kAlive = ".alive";
constexpr std::string_view kState = ".json";
constexpr std::string_view kOutput = ".log";
constexpr std::string_view kTranscript = "_transcript.jsonl";
constexpr std::string_view kInbox = "_inbox.jsonl";
constexpr std::string_view kInboxLock = "_inbox.lock";
constexpr std::string_view kBacklog = "_backlog.jsonl";
constexpr std::string_view kBacklogPosition = "_backlog.pos";
constexpr std::string_view kRejected = "_rejected.jsonl";
constexpr std::string_view kTaken = "_taken";
constexpr std::string_view kHold = ".hold";

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string joined(std::string_view first, std::string_view second) { return std::string(first).append(second); }

// The part before the suffix; none if there is nothing before it.
std::optional<std::string_view> before(std::string_view name, std::string_view suffix) {
  if (name.size() <= suffix.size() || !name.ends_with(suffix)) return std::nullopt;
  return name.substr(0, name.size() - suffix.size());
}

// NAME_taken.jsonl of the first reader, NAME_taken-2.jsonl of a further one.
std::optional<std::string_view> reader_of(std::string_view name) {
  const auto stem = before(name, kLines);
  if (!stem) return std::nullopt;
  if (const auto member = before(*stem, kTaken)) return member;
  const std::size_t dash = stem->rfind('-');
  if (dash == std::string_view::npos || !is_number(stem->substr(dash + 1))) return std::nullopt;
  return before(stem->substr(0, dash), kTaken);
}

}  // namespace

std::string task_file(TaskId id) { return std::to_string(id).append(kTaskSuffix); }

std::optional<TaskId> task_of(std::string_view name) {
  if (!name.ends_with(kTaskSuffix)) return std::nullopt;
  const auto id = parse_integer(name.substr(0, name.size() - kTaskSuffix.size()));
  return id && *id >= 1 && *id <= kLargestTaskId ? id : std::nullopt;
}

bool resembles_task_file(std::string_view name) {
  const auto number = before(name, kTaskSuffix);
  return number && is_number(*number);
}

std::string call_slot(std::int64_t number) { return std::to_string(number); }

std::string request_file(const std::string& id) { return joined(id, kRequestSuffix); }

std::optional<std::string> request_of(std::string_view name) {
  const auto id = before(name, kRequestSuffix);
  return id && is_id(*id) ? std::optional<std::string>(*id) : std::nullopt;
}

std::string old_events_file(std::int64_t first) { return fmt::format("{}{}{}", kOldEventsPrefix, first, kLines); }

std::optional<std::int64_t> first_event_in(std::string_view name) {
  const auto stem = name.starts_with(kOldEventsPrefix) ? before(name, kLines) : std::nullopt;
  return stem ? parse_integer(stem->substr(kOldEventsPrefix.size())) : std::nullopt;
}

bool is_event_file(std::string_view name) { return name == kEvents || first_event_in(name); }

std::string alive_file(const std::string& member) { return joined(member, kAlive); }
std::string state_file(const std::string& member) { return joined(member, kState); }
std::string output_file(const std::string& member) { return joined(member, kOutput); }
std::string old_output_file(const std::string& member) { return joined(output_file(member), ".1"); }
std::string transcript_file(const std::string& member) { return joined(member, kTranscript); }
std::string inbox_file(const std::string& member) { return joined(member, kInbox); }
std::string inbox_lock(const std::string& member) { return joined(member, kInboxLock); }
std::string backlog_file(const std::string& member) { return joined(member, kBacklog); }
std::string backlog_position(const std::string& member) { return joined(member, kBacklogPosition); }
std::string rejected_file(const std::string& member) { return joined(member, kRejected); }
std::string old_rejected_file(const std::string& member) { return joined(member, "_rejected.old"); }

std::string taken_file(const std::string& member, int reader) {
  if (reader == 1) return fmt::format("{}{}{}", member, kTaken, kLines);
  return fmt::format("{}{}-{}{}", member, kTaken, reader, kLines);
}

std::string hold_file(std::string_view taken) { return joined(taken, kHold); }

std::string duty_lock(std::string_view post, const std::optional<std::string>& role) {
  return fmt::format(".{}{}.lock", post, role ? "-" + *role : "");
}

std::optional<FileOfMember> member_file(std::string_view name) {
  // The longer suffix first, where one ends with another.
  static constexpr std::array kSuffixes = {
      std::pair(kTranscript, MemberFile::transcript), std::pair(kInbox, MemberFile::inbox),
      std::pair(kInboxLock, MemberFile::inbox_lock),  std::pair(kBacklog, MemberFile::backlog),
      std::pair(kRejected, MemberFile::rejected),     std::pair(kBacklogPosition, MemberFile::backlog_position),
      std::pair(kAlive, MemberFile::alive),           std::pair(kState, MemberFile::state),
      std::pair(kOutput, MemberFile::output),
  };
  for (const auto& [suffix, kind] : kSuffixes) {
    if (const auto member = before(name, suffix)) return FileOfMember{kind, std::string(*member)};
  }
  if (const auto member = reader_of(name)) return FileOfMember{MemberFile::taken, std::string(*member)};
  const auto taken = before(name, kHold);
  const auto member = taken ? reader_of(*taken) : std::nullopt;
  return member ? std::optional(FileOfMember{MemberFile::hold, std::string(*member)}) : std::nullopt;
}

}  // namespace team::layout
