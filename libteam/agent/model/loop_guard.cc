#include "libteam/agent/model/loop_guard.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>

namespace team {

namespace {

constexpr std::int64_t kMostRepeats = 5;
constexpr std::int64_t kGrace = 3;  // after the warning

std::size_t mix(std::size_t seed, std::size_t value) {
  constexpr std::size_t kOdd = 0x9E3779B97F4A7C15;
  return (seed ^ value) * kOdd + (seed >> 7);
}

// The names, sizes and times of the files beneath a folder, up to a limit.
std::size_t hash_files(const std::string& folder) {
  namespace fs = std::filesystem;
  constexpr int kMostFiles = 20'000;
  std::size_t hash = 0;
  int count = 0;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator() && count < kMostFiles; entry.increment(error)) {
    const std::string name = entry->path().filename();
    // The store, the repository, and installed files.
    if (name.starts_with('.') || name == "node_modules") {
      entry.disable_recursion_pending();
      continue;
    }
    ++count;
    std::error_code ignored;
    std::size_t one = std::hash<std::string>()(entry->path());
    if (entry->is_regular_file(ignored)) {
      one = mix(one, static_cast<std::size_t>(entry->file_size(ignored)));
      one = mix(one, static_cast<std::size_t>(entry->last_write_time(ignored).time_since_epoch().count()));
    }
    hash += one;  // the order of entries does not matter
  }
  return hash;
}

}  // namespace

LoopGuard::LoopGuard(std::int64_t most_turns, std::string folder)
    : most_turns_(most_turns), folder_(std::move(folder)) {
  note_change();
}

void LoopGuard::note_change() {
  turns_ = 0;
  if (most_turns_ > 0) files_ = hash_files(folder_);
}

LoopGuard::Verdict LoopGuard::add_call(const std::string& name, const std::string& arguments,
                                       const std::string& result) {
  const std::hash<std::string> hash;
  const std::size_t call = mix(mix(hash(name), hash(arguments)), hash(result));
  repeated_ = call == last_call_ && name == last_name_ ? repeated_ + 1 : 1;
  last_call_ = call;
  last_name_ = name;
  if (repeated_ >= kMostRepeats + kGrace) return Verdict::stop;
  return repeated_ == kMostRepeats ? Verdict::warn : Verdict::fine;
}

LoopGuard::Verdict LoopGuard::end_turn() {
  ++turns_;
  if (most_turns_ == 0 || turns_ < most_turns_) return Verdict::fine;
  // A command may have changed files.
  if (const std::size_t now = hash_files(folder_); files_ != now) {
    turns_ = 0;
    files_ = now;
    return Verdict::fine;
  }
  if (turns_ >= most_turns_ + kGrace) return Verdict::stop;
  return turns_ == most_turns_ ? Verdict::warn : Verdict::fine;
}

std::string LoopGuard::reason() const {
  if (repeated_ >= kMostRepeats) return fmt::format("the same call of {} {} times in a row", last_name_, repeated_);
  return fmt::format("{} turns without a change of the board, the mail or a file", turns_);
}

std::string LoopGuard::warning() const {
  return fmt::format(
      "[System] You seem to be in a loop: {}. Do something else, or say without a tool call what keeps you from going "
      "on. After {} more you are stopped.",
      reason(), kGrace);
}

bool is_changing(const std::string& tool) {
  constexpr std::array<std::string_view, 13> kChanging = {
      "write_file", "edit_file",  "TaskCreate", "TaskUpdate",  "SendMessage", "SubmitPlan",  "Task",
      "TaskStop",   "TeamCreate", "TeamDelete", "ApprovePlan", "FinishTeam",  "StopTeammate"};
  return std::find(kChanging.begin(), kChanging.end(), tool) != kChanging.end();
}

}  // namespace team
