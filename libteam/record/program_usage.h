// Reads what a program used from its output: the line `teamkit-usage: {…}` on stderr, or the JSON of known agents.
//
// Known are `claude -p --output-format json|stream-json`, `codex exec --json`, `gemini --output-format
// json|stream-json` and `opencode run --format json`. Output of any length may come in any pieces; a line or a document
// of more than 4 MiB is not read.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "libteam/record/usage.h"

namespace team {

class ProgramUsage {
 public:
  void read_out(std::string_view piece);
  void read_err(std::string_view piece);

  // Once the output has ended. Lines `teamkit-usage:` are added up and go before what an agent says by itself.
  Usage usage();
  // The model, if the agent told one: then the price of that model may give the cost.
  const std::optional<std::string>& model() const { return model_; }
  // The answer inside the JSON of a known agent, which is the result of the work; none for other output.
  const std::optional<std::string>& answer() const { return answer_; }

 private:
  // Gathers the lines that begin with one character, and skips the others fast. A line that is too long is dropped.
  struct Lines {
    char first;
    bool is_line_start = true, is_inside = false;
    std::string rest = {};
    bool is_too_long = false;
    template <class Visit>
    void add(std::string_view piece, const Visit& visit);
  };
  void read_line(std::string_view line);
  void read_note(std::string_view line);
  void read_document();

  Lines out_{'{'}, err_{'t'};
  std::string document_;  // stdout as a whole, while it may be one JSON document
  bool is_document_ = true;
  Usage noted_, counted_;
  bool has_notes_ = false, has_counts_ = false;
  std::optional<std::string> model_, answer_;
};

}  // namespace team
