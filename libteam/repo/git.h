// Calls git as a program.
//
// Every call has a clean environment, a time limit, and options that keep hooks, background work and prompts of the
// user's configuration out of it. Its texts for people are never parsed: callers use exit statuses and the formats for
// programs.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace team {

// The author of commits.
struct Author {
  std::string name, email;
};

class Git {
 public:
  using Words = std::vector<std::string>;

  // Calls in this folder.
  explicit Git(std::string folder) : folder_(std::move(folder)) {}
  // Calls on this repository, without a working tree; or with this one and an index of the caller.
  static Git on(std::string git_folder);
  static Git on(std::string git_folder, std::string work_tree, std::string index);

  Git with_author(const Author& author) const;
  // For slow calls, such as a clone.
  Git with_time_limit(double seconds) const;

  struct Answer {
    int status = 0;
    std::string out;
    std::string error;  // of its stderr the most useful line, for a message
  };
  // Throws unavailable if there is no git, io if git does not end in time or its output is too large.
  Answer ask(const Words& words, const std::string& input = "") const;
  // The same, but any status except 0 throws io, with what git said.
  std::string run(const Words& words, const std::string& input = "") const;
  // The same, without the newline at the end.
  std::string line(const Words& words) const;
  // The commit that a name means; none if there is no such commit.
  std::optional<std::string> find_commit(const std::string& name) const;

  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;  // the current folder of git
  std::vector<std::pair<std::string, std::string>> variables_;
  double seconds_ = 60;
};

// The parts of an output whose records end with NUL.
std::vector<std::string> split_records(const std::string& text);

}  // namespace team
