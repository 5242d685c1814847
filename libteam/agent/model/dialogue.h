// The conversation of a model as its transcript describes it, in memory.
//
// A dialogue is the sum of the lines of a transcript: the same lines give the same turns. It does not use files.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/agent/life/driver.h"
#include "libteam/agent/model/conversation.h"
#include "libteam/base/json.h"

namespace team {

// A piece of work, as far as a restarted agent needs it to go on.
struct Piece {
  std::string title;
  Phase phase = Phase::work;
  std::optional<TaskId> task;
  std::vector<Message> messages;  // id, type, sender and summary of each; includes mail that came during the work
  std::string prompt;
  std::int64_t attempts = 0;                   // of the task, with this one
  std::optional<std::string> conclusion = {};  // its result, if a tool has ended it
};

class Dialogue {
 public:
  // `identity` is repeated after every summary.
  explicit Dialogue(std::string identity) : identity_(std::move(identity)) {}

  // Adds one line of the transcript. Throws corrupt, with `where`, for a line that is not a step of a conversation.
  void apply(Json line, std::string_view where);

  // As they go to the model. After the first step of any kind they end with a turn of the user or an answer.
  const std::vector<Turn>& turns() const { return turns_; }
  // The piece of work that was begun and has not ended.
  const std::optional<Piece>& open() const { return open_; }
  // The end of the open piece of work: its conclusion by a tool, or the last answer, if that is whole, calls no tool
  // and nothing follows it.
  std::optional<std::string> last_word() const;
  // True if the model has received a message of this id.
  bool knows(const std::string& message_id) const { return heard_.contains(message_id); }
  // The calls of the last answer that have no result yet, in their order.
  std::vector<Part> unanswered() const;
  // Bytes that go to the model.
  std::size_t size() const;

  // The number of turns in which a cut to `longest` bytes that keeps the last `keep` turns would shorten a result; 0 if
  // no result is longer.
  std::size_t turns_to_cut(std::size_t keep, std::size_t longest) const;
  // Before a line that says so is applied: the newest part is a result that a later cut of the first `turns` turns
  // shortens to `longest` bytes.
  void cut_newest(std::size_t turns, std::size_t longest);
  // Before a summary is applied: drops the turns that it will not need.
  void drop_old_turns();

 private:
  void apply_work(const Json& line, std::string text, std::string_view where);
  void summarize(const std::string& summary, std::size_t longest);
  void cut(std::size_t end, std::size_t longest);
  void say(const std::string& text);
  std::size_t tail() const;
  std::string recollect(const std::vector<Turn>& turns) const;

  std::string identity_;
  std::vector<Turn> turns_;
  std::size_t dropped_ = 0;  // turns that stood in front of these and that a later summary replaces
  std::optional<Piece> open_;
  std::set<std::string> heard_;
  std::string summary_;   // the last one
  bool is_whole_ = true;  // the last answer
};

}  // namespace team
