// The names of the files and folders of a store. No other file of libteam knows one of them.
//
// teamkit-files(5) describes the contents. The names of temporary files are not here: they belong to libteam/system.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libteam/record/task.h"

namespace team::layout {

// In the root of a project.
inline constexpr const char* kTeams = ".teams";
inline constexpr const char* kDefaultBoard = ".tasks";

// In the folder of all teams, in the folder of a team, and in a board.
inline constexpr const char* kLock = ".lock";

// In the folder of all teams.
inline constexpr const char* kProjectFilesLock = ".files.lock";
inline constexpr const char* kServer = ".serve.json";
inline constexpr const char* kServerLock = ".serve.lock";
// A team that is being removed: its folder gets a name with this prefix.
inline constexpr std::string_view kDeletedPrefix = ".deleted-";

// In a board.
inline constexpr const char* kHighWatermark = ".highwatermark";
inline constexpr const char* kIndex = ".index";
inline constexpr const char* kScratch = ".tmp";
inline constexpr const char* kBatch = ".batch";
// In kScratch: the folder of a batch, and its lock.
inline constexpr std::string_view kBatchPrefix = "batch-";
inline constexpr std::string_view kBatchLockSuffix = ".lock";
// A task of a batch whose id somebody else took.
inline constexpr std::string_view kSetAsideSuffix = ".of-batch";
std::string task_file(TaskId id);
// None for every name that is not the name of a task file.
std::optional<TaskId> task_of(std::string_view name);
// True for a name of digits only, also if the number cannot be an id.
bool resembles_task_file(std::string_view name);

// In the folder of a team.
inline constexpr const char* kConfig = "config.json";
// The configuration of a deleted team whose folder could not be renamed.
inline constexpr const char* kDeletedConfig = ".deleted-config.json";
inline constexpr const char* kExchanges = "exchanges.json";
inline constexpr const char* kQuotas = "quotas.jsonl";  // the ledger; no member has a file of this name
inline constexpr const char* kIdlePeriod = ".all_idle";
inline constexpr const char* kBodies = "bodies";
inline constexpr const char* kHooks = "hooks";
inline constexpr const char* kOutputs = "outputs";
inline constexpr const char* kCallSlots = "model-slots";
inline constexpr const char* kCallPause = "until";  // in kCallSlots
std::string call_slot(std::int64_t number);         // there too

inline constexpr const char* kRequests = "requests";
inline constexpr const char* kAnswered = "answered";  // in kRequests
std::string request_file(const std::string& id);
// None for every name that is not the name of a request.
std::optional<std::string> request_of(std::string_view name);

inline constexpr const char* kEvents = "events.jsonl";
inline constexpr const char* kEventsLock = "events.lock";
// A part of the log that was put aside, by the number of its first event.
std::string old_events_file(std::int64_t first);
std::optional<std::int64_t> first_event_in(std::string_view name);
bool is_event_file(std::string_view name);

// Of one member, in the folder of its team.
std::string alive_file(const std::string& member);
std::string state_file(const std::string& member);
std::string output_file(const std::string& member);
std::string old_output_file(const std::string& member);
std::string transcript_file(const std::string& member);
std::string inbox_file(const std::string& member);
std::string inbox_lock(const std::string& member);
std::string backlog_file(const std::string& member);
std::string backlog_position(const std::string& member);
std::string rejected_file(const std::string& member);
std::string old_rejected_file(const std::string& member);
// The messages that a reader has taken; `reader` counts from 1.
std::string taken_file(const std::string& member, int reader);
std::string hold_file(std::string_view taken);
// The lock of a post that one of many idle members has.
std::string duty_lock(std::string_view post, const std::optional<std::string>& role);

// The kind of a file of a member, and the member; none for every other name. A member may be called events-1 or 7, so a
// caller first asks for the names of the team and of the board.
enum class MemberFile {
  alive,
  state,
  output,
  transcript,
  inbox,
  inbox_lock,
  backlog,
  backlog_position,
  taken,
  hold,
  rejected
};
struct FileOfMember {
  MemberFile kind;
  std::string member;
};
std::optional<FileOfMember> member_file(std::string_view name);

}  // namespace team::layout
