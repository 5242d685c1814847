#include "libteam/repo/git.h"

#include <string_view>

#include "libteam/base/clock.h"
#include "libteam/base/error.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/system/process.h"

extern "C" char** environ;

namespace team {

namespace {

constexpr std::size_t kMostOutput = 256 << 20;
constexpr std::size_t kMostError = 64 << 10;

// No setting of git in our environment reaches it, such as GIT_DIR from a hook that called us.
void clear_environment(Program& program) {
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (text.starts_with("GIT_")) program.environment.emplace_back(text.substr(0, text.find('=')), std::nullopt);
  }
  for (const auto& [name, value] : std::vector<std::pair<const char*, const char*>>{{"LC_ALL", "C"},
                                                                                    {"GIT_OPTIONAL_LOCKS", "0"},
                                                                                    {"GIT_TERMINAL_PROMPT", "0"},
                                                                                    {"GIT_NO_REPLACE_OBJECTS", "1"}}) {
    program.environment.emplace_back(name, value);
  }
}

Program make_program(const std::string& folder, const Git::Words& words) {
  Program program;
  program.arguments = {"git",
                       "-c",
                       "gc.auto=0",
                       "-c",
                       "maintenance.auto=false",
                       "-c",
                       "core.hooksPath=/dev/null",
                       "-c",
                       "core.fsmonitor=false",
                       "-c",
                       "core.fsync=loose-object,reference",
                       "-c",
                       "core.sparseCheckout=false",
                       "-c",
                       "advice.detachedHead=false"};
  program.arguments.insert(program.arguments.end(), words.begin(), words.end());
  program.directory = folder;
  return program;
}

// git reports the reason in its first line that begins with "fatal:" or "error:".
std::string most_useful(const std::string& text) {
  std::string first;
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with("fatal:") || line.starts_with("error:")) return one_line(line);
    if (first.empty()) first = line;
  }
  return one_line(first);
}

}  // namespace

Git Git::on(std::string git_folder) {
  Git git(git_folder);
  git.variables_ = {{"GIT_DIR", std::move(git_folder)}};
  return git;
}

Git Git::on(std::string git_folder, std::string work_tree, std::string index) {
  Git git(work_tree);
  git.variables_ = {{"GIT_DIR", std::move(git_folder)},
                    {"GIT_WORK_TREE", std::move(work_tree)},
                    {"GIT_INDEX_FILE", std::move(index)}};
  return git;
}

Git Git::with_author(const Author& author) const {
  Git git = *this;
  for (const char* role : {"AUTHOR", "COMMITTER"}) {
    git.variables_.emplace_back(fmt::format("GIT_{}_NAME", role), author.name);
    git.variables_.emplace_back(fmt::format("GIT_{}_EMAIL", role), author.email);
  }
  return git;
}

Git Git::with_time_limit(double seconds) const {
  Git git = *this;
  git.seconds_ = seconds;
  return git;
}

Git::Answer Git::ask(const Words& words, const std::string& input) const {
  Program program = make_program(folder_, words);
  program.input = input;
  clear_environment(program);
  for (const auto& [name, value] : variables_) program.environment.emplace_back(name, value);
  Answer answer;
  std::string error;
  bool is_too_much = false;
  Child child(program);
  const auto keep = [&](Child::Stream stream, std::string_view text) {
    std::string& kept = stream == Child::Stream::out ? answer.out : error;
    const std::size_t most = stream == Child::Stream::out ? kMostOutput : kMostError;
    kept += text.substr(0, most - kept.size());
    is_too_much = answer.out.size() == kMostOutput;
  };
  const Deadline limit = Deadline::in(seconds_);
  while (!is_too_much) {
    const Child::Woke woke = child.wait(limit, -1, keep);
    if (woke == Child::Woke::ended) break;
    // Its destructor ends the child.
    if (woke == Child::Woke::deadline) fail(Code::io, "git {}: not done within {} s", words.front(), seconds_);
  }
  if (is_too_much) fail(Code::io, "git {}: more than {} bytes of output", words.front(), kMostOutput);
  answer.status = child.status();
  answer.error = most_useful(error);
  if (answer.status == 127) fail(Code::unavailable, "{}", answer.error);
  return answer;
}

std::string Git::run(const Words& words, const std::string& input) const {
  Answer answer = ask(words, input);
  if (answer.status != 0) {
    fail(Code::io, "git {} in '{}': {}", words.front(), one_line(folder_),
         answer.error.empty() ? fmt::format("exit status {}", answer.status) : answer.error);
  }
  return std::move(answer.out);
}

std::string Git::line(const Words& words) const {
  std::string text = run(words);
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

std::optional<std::string> Git::find_commit(const std::string& name) const {
  Answer answer = ask({"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"});
  if (answer.status != 0) return std::nullopt;
  if (answer.out.ends_with('\n')) answer.out.pop_back();
  return std::move(answer.out);
}

std::vector<std::string> split_records(const std::string& text) {
  std::vector<std::string> records;
  std::size_t start = 0;
  for (std::size_t end = text.find('\0'); end != std::string::npos; end = text.find('\0', start)) {
    records.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return records;
}

}  // namespace team
