// What a model remembers: its conversation, as it stands in the transcript.
//
// Every step is written down before it counts, and a memory that is opened again is what it was: the same lines give
// the same turns. What was said is never rewritten on disk; where it became too long, a line says what stands in its
// place.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/agent/life/driver.h"
#include "libteam/agent/model/conversation.h"
#include "libteam/agent/model/provider.h"
#include "libteam/base/json.h"
#include "libteam/store/files/transcript_file.h"

namespace team {

// A piece of work as far as it must be known to go on with it.
struct Piece {
  std::string title;
  Phase phase = Phase::work;
  std::optional<TaskId> task;
  std::vector<Message> messages;  // id, type, sender and summary of each, those heard meanwhile too
  std::string prompt;
  std::int64_t attempts = 0;                   // of the task, with this one
  std::optional<std::string> conclusion = {};  // its result, if a tool has ended it
};

class Memory {
 public:
  // `identity` is put back whenever the conversation is shortened. Throws corrupt for a transcript that is none.
  Memory(TranscriptFile file, std::string identity);

  // As it goes to the model. After the first step of any kind it ends with a turn of the user's or an answer.
  const std::vector<Turn>& turns() const { return turns_; }
  // What was begun and has not ended.
  const std::optional<Piece>& open() const { return open_; }
  // How the open piece of work has ended: by a tool, or by the answer that stands at the end, if it is whole, nothing
  // came after it and it called no tool.
  std::optional<std::string> last_word() const;
  // Whether a message of this id was heard.
  bool knows(const std::string& message_id) const { return heard_.contains(message_id); }

  void begin(const Piece& piece);
  void end();
  // Messages, as `text` puts them.
  void hear(const std::vector<Message>& messages, const std::string& text);
  // A tool has ended the open piece of work, with this result.
  void conclude(const std::string& result);
  // What the toolkit itself has to say.
  void tell(const std::string& text);
  void add(const ModelAnswer& answer);
  // The calls of the last answer that have no result yet, in their order.
  std::vector<Part> unanswered() const;
  void answer(const Part& call, const std::string& text, bool is_error);

  // Bytes of what goes to the model.
  std::size_t size() const;
  // Tool results, but those of the last `keep` turns, become at most `longest` bytes. False if nothing was longer.
  bool cut_results(std::size_t keep, std::size_t longest);
  // All but the end becomes a summary, in front of which stands who this is and what it is at. Of the end only what no
  // model can do without is kept, each part of it at most `longest` bytes.
  void summarize(const std::string& summary, std::size_t longest);

 private:
  // What the whole transcript says of its lines, found before any of them is applied. With it a memory that is opened
  // again holds at no time much more than what it keeps in the end.
  struct Outline {
    struct Cut {
      std::size_t line = 0, turns = 0, longest = 0;
    };
    std::size_t last_summary = 0;  // the number of its line; 0: there is none
    std::vector<Cut> cuts;         // those after it
  };
  Outline outline() const;
  void resume();
  void put(const Json& line);
  void apply(Json line, std::string_view where);
  void cut(std::size_t end, std::size_t longest);
  void drop_old_turns();
  void say(const std::string& text);
  std::size_t tail() const;
  std::string recollect(const std::vector<Turn>& turns) const;

  TranscriptFile file_;
  std::string identity_;
  std::vector<Turn> turns_;
  std::size_t dropped_ = 0;  // turns that stood in front of these and that a later summary replaces
  std::optional<Piece> open_;
  std::set<std::string> heard_;
  std::string summary_;   // the last one
  bool is_whole_ = true;  // the last answer
};

}  // namespace team
