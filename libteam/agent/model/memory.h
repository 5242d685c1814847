// The memory of a model: its conversation, kept in the transcript file.
//
// Every step is on disk before it counts. The same lines give the same turns, so a reopened memory is unchanged. Lines
// are never rewritten: when the conversation becomes too long, a new line says what replaces its beginning.
#pragma once

#include <string>
#include <vector>

#include "libteam/agent/model/dialogue.h"
#include "libteam/agent/model/provider.h"
#include "libteam/base/json.h"
#include "libteam/store/files/transcript_file.h"

namespace team {

class Memory {
 public:
  // `identity` is repeated after each shortening. Throws corrupt if the file is not a transcript.
  Memory(TranscriptFile file, std::string identity);

  // See Dialogue.
  const std::vector<Turn>& turns() const { return dialogue_.turns(); }
  const std::optional<Piece>& open() const { return dialogue_.open(); }
  std::optional<std::string> last_word() const { return dialogue_.last_word(); }
  bool knows(const std::string& message_id) const { return dialogue_.knows(message_id); }
  std::vector<Part> unanswered() const { return dialogue_.unanswered(); }
  std::size_t size() const { return dialogue_.size(); }

  void begin(const Piece& piece);
  void end();
  // Messages; `text` is their form in the conversation.
  void hear(const std::vector<Message>& messages, const std::string& text);
  // Ends the open piece of work with this result, for a tool.
  void conclude(const std::string& result);
  // Adds a text of the toolkit itself.
  void tell(const std::string& text);
  void add(const ModelAnswer& answer);
  void answer(const Part& call, const std::string& text, bool is_error);

  // Shortens the tool results to `longest` bytes, except those of the last `keep` turns. False if none was longer.
  bool cut_results(std::size_t keep, std::size_t longest);
  // Replaces the conversation by the identity, the summary and the current work. Of the last turns it keeps only the
  // parts that the API requires, each at most `longest` bytes.
  void summarize(const std::string& summary, std::size_t longest);

 private:
  // The shortening steps of the whole transcript, found before any line is applied. With them, reopening needs little
  // more memory than the shortened conversation.
  struct Outline {
    struct Cut {
      std::size_t line = 0, turns = 0, longest = 0;
    };
    std::size_t last_summary = 0;  // its line number; 0 if there is none
    std::vector<Cut> cuts;         // the cuts after it
  };
  Outline outline() const;
  void resume();
  void put(const Json& line);

  TranscriptFile file_;
  Dialogue dialogue_;
};

}  // namespace team
