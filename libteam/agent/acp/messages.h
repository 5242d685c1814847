// Messages of the Agent Client Protocol, version 1, as values: what an agent reports, asks and answers.
//
// An agent is another program, so nothing of its messages is trusted. A missing or mistyped field counts as absent, and
// an unknown update is ignored. No function here throws.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libteam/base/json.h"
#include "libteam/record/permissions.h"
#include "libteam/record/usage.h"

namespace team {

// The modes of a session. Some agents have them as an option of the session: then `option` is its id.
struct AgentModes {
  std::vector<std::string> all;
  std::string current;
  std::string option;

  // The mode that keeps the agent from changing anything; none if it has no such mode.
  std::optional<std::string> for_plan() const;
  // The mode to work in: the current one, unless that is a mode for plans. An agent that need not ask for all is put
  // into a mode in which it may only read without asking, if it has one.
  enum class Asking { may_work, must_ask };
  std::optional<std::string> for_work(Asking asking) const;
};
// Of the answers to session/new and session/load.
AgentModes modes_of(const Json& answer);
// Empty if the answer has none.
std::string session_id_of(const Json& answer);
// Of the answer to initialize.
bool can_load_session(const Json& answer);

// A tool call, or what is new about it.
struct AgentToolCall {
  std::string id;
  std::string title, name;  // empty if it is not told
  std::optional<ToolKind> kind;
  std::optional<bool> is_mode_switch;
  std::string status;                // pending, in_progress, completed, failed; empty if it is not told
  std::optional<std::string> input;  // JSON text
  std::string output;                // for people
  std::string plan;                  // of a call that ends the planning

  bool has_ended() const { return status == "completed" || status == "failed"; }
  // Adds what an update tells.
  void update(const AgentToolCall& news);
};

struct AgentUpdate {
  enum class Kind { text, thought, user_text, tool_call, usage, other };
  Kind kind = Kind::other;
  std::string text;
  AgentToolCall call;
  std::optional<double> usd;  // the cost of the whole session so far
};
// Of the parameters of session/update.
AgentUpdate update_of(const Json& parameters);

// A request for a permission.
struct PermissionQuestion {
  struct Option {
    std::string id, kind;
  };
  AgentToolCall call;
  std::vector<Option> options;

  // The option for this answer, chosen by its kind. One that holds for one call only goes first. None if there is no
  // such option.
  std::optional<std::string> option_for(Permission answer) const;
};
// Of the parameters of session/request_permission.
PermissionQuestion question_of(const Json& parameters);

// The answer to session/prompt.
struct PromptAnswer {
  std::string stop;           // end_turn, max_tokens, max_turn_requests, refusal, cancelled
  Usage usage;                // of this prompt
  bool denies_usage = false;  // its usage is null: the model was not asked, or it failed
  std::string model;          // empty if it is not told
};
PromptAnswer prompt_answer_of(const Json& answer);

// The message of an error and the details that it has.
std::string error_text_of(const Json& error);

}  // namespace team
