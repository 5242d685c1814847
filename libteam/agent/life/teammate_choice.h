// The program or model of a teammate and its limits: the options of teammate-run(1), completed by its role.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libteam/agent/life/team_recording.h"
#include "libteam/agent/life/teammate_options.h"
#include "libteam/record/model_choice.h"
#include "libteam/record/role.h"
#include "libteam/system/environment.h"

namespace team {

struct TeammateChoice {
  std::string name;
  std::optional<std::string> exec;         // a command for sh; else an agent or a model works
  std::optional<std::string> acp;          // a command for sh, of an agent that speaks the Agent Client Protocol
  std::optional<std::string> permissions;  // of that agent: see Permissions::parse()
  std::optional<std::string> clean_env;    // variables that its programs get, separated by commas
  std::optional<std::int64_t> retries;
  std::optional<double> time_limit;      // of a piece of work, in seconds
  std::vector<std::string> limit_texts;  // of usage limits, by its role
  bool no_auto_claim = false;
  bool tree = false;  // it works in a tree of the repository
  ModelChoice model;
  TeamRecording recording;  // set by complete()
  TeammateOptions options;
};

// Fills in the defaults of the role. If --record or --replay names a folder, the model uses the file of this member in
// it; a command runs as always. Throws usage if the name is none, or if neither says what to run.
void complete(TeammateChoice& choice, const RoleSpec& role);

// The changes to the environment of this process for the programs of the teammate. Throws usage for a bad name.
Variables environment_for(const TeammateChoice& choice, const RoleSpec& role);

// What its agent may do: as given, else by its role, else all. Throws usage.
Permissions permissions_for(const TeammateChoice& choice, const RoleSpec& role);

// The texts of usage limits beside the known ones: of the team and of the role. Throws corrupt.
std::vector<std::string> limit_texts_for(const TeammateChoice& choice, const Team& team);

// The arguments for a restart, before complete(): the given options, without those that apply only once.
Start start_of(const TeammateChoice& given, const std::string& root);

}  // namespace team
