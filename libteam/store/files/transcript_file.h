// A member's conversation on disk: `<name>_transcript.jsonl`, one line for each step, never rewritten.
//
// Only the process that lives under that name appends, so there is no lock beside NAME.alive. When append() returns,
// its lines are on the disk. The next life cuts off a torn line that a killed writer left.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "libteam/system/file.h"

namespace team {

class Engine;
struct Team;

class TranscriptFile {
 public:
  // In the folder of a team. Made if it is missing.
  TranscriptFile(const Folder& folder, const std::string& member, Durability durability);

  // All lines, oldest first, however long.
  void each(const std::function<void(std::string_view line)>& visit) const;
  // `line` has no newline. Throws io, and then nothing of it is there.
  void append(std::string_view line) const;

  // For messages.
  const std::string& path() const { return path_; }

 private:
  Fd file_;
  std::string path_;
  Durability durability_;
};

// Of a member of a team.
TranscriptFile open_transcript(const Engine& engine, const Team& team, const std::string& member);

}  // namespace team
