// The recording of a whole team: a folder with the order of all steps and, for each model, its answers.
//
// recording_files.h has the names of its files.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libteam/agent/life/step_order.h"
#include "libteam/record/model_choice.h"
#include "libteam/store/team_session.h"
#include "libteam/system/signals.h"

namespace team {

// At most one of them is set; absolute paths of folders.
struct TeamRecording {
  std::optional<std::string> record, replay;
};

// The folders that --record and --replay name; none if they name files. `missing` says what a path is at which there is
// nothing. Throws usage if both name folders.
enum class NoSuchPath { is_file, is_folder };
TeamRecording find_recording(const ModelChoice& choice, NoSuchPath missing);
// Lets the model of this member use its own file of the recording.
void use_recording(ModelChoice& choice, const TeamRecording& recording, const std::string& member);
// The arguments of teammate-run for another member.
std::vector<std::string> arguments_of(const TeamRecording& recording);

// The same for the first process of a run; a path at which there is nothing is a folder to be made. Changes nothing.
// Throws conflict if the folder to record in has a recording already, not_found if it cannot be made, and if the one to
// replay has none.
TeamRecording open_recording(const ModelChoice& choice);
// For the first process of a run: makes the folder of a recording, or begins the replay.
void begin_recording(const TeamRecording& recording, const TeamSession& session);
// Null if the team is neither recorded nor replayed. `session` and `signals` outlive the result. Throws corrupt for a
// malformed recording.
std::unique_ptr<StepOrder> make_order(const TeamRecording& recording, const TeamSession& session,
                                      const Signals& signals);
// For the first process, at the end: tells `warn` why the replay has ended early, and returns the exit status for that;
// none if it has not.
std::optional<int> replay_status(const TeamRecording& recording, const TeamSession& session,
                                 const std::function<void(std::string_view)>& warn);

}  // namespace team
