// The files of the recording of a team:
//
//   order.jsonl    one Step a line (record/step.h)
//   NAME.jsonl     the answers of the model of a member (agent/model/replay.h)
//   order.lock     held while a step is recorded
#pragma once

#include <string>

#include "libteam/system/file.h"

namespace team {

inline constexpr const char* kOrderFile = "order.jsonl";
inline constexpr const char* kRecordingLock = "order.lock";
// The file of the answers of a member.
std::string answers_file(const std::string& member);
// The folder of a recording. Throws not_found.
Folder find_folder(const std::string& path);

}  // namespace team
