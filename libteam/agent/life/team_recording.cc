#include "libteam/agent/life/team_recording.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "libteam/agent/life/recording_files.h"
#include "libteam/agent/life/replay_progress.h"
#include "libteam/agent/life/step_recorder.h"
#include "libteam/agent/life/step_replayer.h"
#include "libteam/base/terminal_text.h"
#include "libteam/store/life.h"
#include "libteam/store/local_files.h"

namespace team {

namespace {

std::string absolute(const std::string& path) {
  const auto whole = std::filesystem::absolute(path).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

// A folder that cannot be made is refused before the team is made.
void check_place(const std::string& path) {
  namespace fs = std::filesystem;
  const std::string place = fs::is_directory(path) ? path : fs::path(path).parent_path().string();
  if (!fs::is_directory(place)) fail(Code::not_found, "no folder '{}'", one_line(place));
  if (::access(place.c_str(), W_OK | X_OK) != 0) fail_errno("cannot write into", place);
}

}  // namespace

TeamRecording find_recording(const ModelChoice& choice, NoSuchPath missing) {
  TeamRecording recording;
  const auto is_there = [](const std::string& path) { return std::filesystem::exists(path); };
  const auto is_folder = [](const std::string& path) { return std::filesystem::is_directory(path); };
  if (choice.replay && is_folder(*choice.replay)) recording.replay = absolute(*choice.replay);
  if (choice.record) {
    const bool is_new = !is_there(*choice.record) && missing == NoSuchPath::is_folder;
    if (is_new || is_folder(*choice.record)) recording.record = absolute(*choice.record);
  }
  if (recording.record && recording.replay) fail(Code::usage, "--record DIR and --replay DIR cannot be combined");
  return recording;
}

void use_recording(ModelChoice& choice, const TeamRecording& recording, const std::string& member) {
  if (recording.record) choice.record = *recording.record + "/" + answers_file(member);
  if (recording.replay) choice.replay = *recording.replay + "/" + answers_file(member);
}

std::vector<std::string> arguments_of(const TeamRecording& recording) {
  if (recording.record) return {"--record", *recording.record};
  if (recording.replay) return {"--replay", *recording.replay};
  return {};
}

TeamRecording open_recording(const ModelChoice& choice) {
  TeamRecording recording = find_recording(choice, NoSuchPath::is_folder);
  const auto has_order = [](const std::string& path) {
    const auto folder = Folder::find(path);
    return folder && folder->has(kOrderFile);
  };
  if (recording.record && has_order(*recording.record)) {
    fail(Code::conflict, "'{}' has a recording already", one_line(*recording.record));
  }
  if (recording.record) check_place(*recording.record);
  if (recording.replay && !has_order(*recording.replay)) {
    fail(Code::not_found, "'{}' has no recording of a team ({})", one_line(*recording.replay), kOrderFile);
  }
  return recording;
}

void begin_recording(const TeamRecording& recording, const TeamSession& session) {
  if (recording.record && ::mkdir(recording.record->c_str(), 0700) != 0 && errno != EEXIST) {
    fail_errno("cannot make", *recording.record);
  }
  if (recording.replay) ReplayProgress(session.lives()->local_files().outputs_path()).restart();
}

std::unique_ptr<StepOrder> make_order(const TeamRecording& recording, const TeamSession& session,
                                      const Signals& signals) {
  if (recording.record) return std::make_unique<StepRecorder>(*recording.record, session.self().name);
  if (recording.replay) return std::make_unique<StepReplayer>(*recording.replay, session, signals);
  return nullptr;
}

std::optional<int> replay_status(const TeamRecording& recording, const TeamSession& session,
                                 const std::function<void(std::string_view)>& warn) {
  if (!recording.replay) return std::nullopt;
  const std::string failure = ReplayProgress(session.lives()->local_files().outputs_path()).read().failure;
  if (failure.empty()) return std::nullopt;
  warn("unavailable: " + failure);
  return ReplayEnded::kStatus;
}

}  // namespace team
