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

// A piece of work: the parts that a restarted agent needs to continue it.
struct Piece {
  std::string title;
  Phase phase = Phase::work;
  std::optional<TaskId> task;
  std::vector<Message> messages;  // id, type, sender and summary of each; includes mail that came during the work
  std::string prompt;
  std::int64_t attempts = 0;                   // of the task, including this one
  std::optional<std::string> conclusion = {};  // its result, if a tool ended it
};

class Dialogue {
 public:
  // `identity` is repeated after every summary.
  explicit Dialogue(std::string identity) : identity_(std::move(identity)) {}

  // Adds one line of the transcript. Throws corrupt, with `where`, for a line that is not a step of a conversation.
  void apply(Json line, std::string_view where);

  // The turns as they go to the model. After the first step they end with a turn of the user or with an answer.
  const std::vector<Turn>& turns() const { return turns_; }
  // The piece of work that has begun and not ended.
  const std::optional<Piece>& open() const { return open_; }
  // The result of the open piece of work: the conclusion that a tool gave, or else the last answer. An answer counts
  // only if it is complete, calls no tool and nothing follows it.
  std::optional<std::string> last_word() const;
  // True if the model has received a message of this id.
  bool knows(const std::string& message_id) const { return heard_.contains(message_id); }
  // The calls of the last answer that have no result yet, in their order.
  std::vector<Part> unanswered() const;
  // Bytes of the conversation as the model gets it.
  std::size_t size() const;

  // The number of turns that a cut covers: all but the last `keep`. 0 if no result in them is longer than `longest`
  // bytes.
  std::size_t turns_to_cut(std::size_t keep, std::size_t longest) const;
  // Shortens the newest part, if it is a result in the first `turns` turns, to `longest` bytes. For a result that a
  // later line of the transcript cuts anyway.
  void cut_newest(std::size_t turns, std::size_t longest);
  // Drops the turns that the next summary replaces. Call it before the summary is applied.
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
  std::size_t dropped_ = 0;  // dropped turns in front of these; a later summary replaces them
  std::optional<Piece> open_;
  std::set<std::string> heard_;
  std::string summary_;   // the last summary
  bool is_whole_ = true;  // true if the last answer is complete
};

}  // namespace team
