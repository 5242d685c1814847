// Detects a model that makes no progress: it repeats a call, or takes many turns without changing anything.
//
// The model is told first. If it goes on for three more calls or turns, its work is stopped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace team {

class LoopGuard {
 public:
  // `most_turns` without a change are allowed; 0: any number. `folder` is where its files are.
  LoopGuard(std::int64_t most_turns, std::string folder);

  enum class Verdict { fine, warn, stop };
  // After each tool call. Equal arguments and equal results count as the same call.
  Verdict add_call(const std::string& name, const std::string& arguments, const std::string& result);
  // A tool changed the board, the mail or a file, or a message came.
  void note_change();
  // After each turn with calls.
  Verdict end_turn();

  // The text for the model, and the reason why it was stopped.
  std::string warning() const;
  std::string reason() const;

 private:
  std::int64_t most_turns_;
  std::string folder_;
  std::string last_name_;
  std::size_t last_call_ = 0;  // a hash of the call and its result
  std::int64_t repeated_ = 0;
  std::int64_t turns_ = 0;            // since the last change
  std::optional<std::size_t> files_;  // a hash of the files at the last change
};

// True for tools that change the board, the mail or files if they succeed. Of bash it is not known.
bool is_changing(const std::string& tool);

}  // namespace team
