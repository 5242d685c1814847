// A command line is understood, and the verb runs with its values; or it is refused with status 2 and one line, and
// nothing runs. Words end with a zero byte.

#include "libteam/cli/command.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <vector>

#include "libteam/system/lines.h"
#include "tests/fuzz/fuzz.h"

using namespace team;

namespace {

// While this object lives, a descriptor writes to a file in memory.
class Capture {
 public:
  explicit Capture(int fd) : fd_(fd), file_(::memfd_create("output", MFD_CLOEXEC)), saved_(::dup(fd)) {
    ::dup2(file_.get(), fd);
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture() { ::dup2(saved_.get(), fd_); }
  std::string text() const { return read_at(file_, 0, static_cast<std::size_t>(size_of(file_))); }

 private:
  int fd_;
  Fd file_, saved_;
};

struct Options {
  std::string first;
  std::optional<std::string> second, name;
  std::vector<std::string> labels;
  std::vector<TaskId> tasks;
  std::optional<std::int64_t> number;
  std::optional<int> priority;
  std::vector<Status> statuses;
  std::optional<double> time;
  std::optional<std::optional<double>> wait;
  bool one = false, other = false;
  bool operator==(const Options&) const = default;
};

struct Result {
  int status = 0;
  bool ran = false, asks = false;
  Options options;
  std::string out, err;
};

Result run(std::vector<std::string> words) {
  Result result;
  Options& options = result.options;
  Command command("fuzzed", "be fuzzed", "[options] FIRST [SECOND]");
  command.operand("FIRST", options.first, "the first");
  command.operand("[SECOND]", options.second, "the second");
  command.option("-n,--name NAME", options.name, "a name");
  command.option("--label TEXT", options.labels, "labels");
  command.option("--task ID", options.tasks, "tasks");
  command.option("--number N", options.number, "a number");
  command.option("-p,--priority N", options.priority, "a priority");
  command.option("--status STATUS", options.statuses, "states");
  command.seconds("--time SECONDS", options.time, "a time");
  command.optional_seconds("--wait SECONDS", options.wait, "wait");
  command.flag("--one", options.one, "one");
  command.flag("--other", options.other, "the other");
  command.at_most_one({"--one", "--other"});
  command.takes_all();
  words.insert(words.begin(), "fuzzed");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const Capture out(STDOUT_FILENO), err(STDERR_FILENO);
  result.status = command.run(static_cast<int>(words.size()), argv.data(), [&](Context&) {
    result.ran = true;
    return Exit::done;
  });
  result.out = out.text();
  result.err = err.text();
  return result;
}

void check_options(const Options& options) {
  for (const TaskId id : options.tasks) REQUIRE(id >= 1);
  REQUIRE(options.number.value_or(0) >= 0 && options.priority.value_or(0) >= 0 && options.time.value_or(0) >= 0);
  REQUIRE(!(options.one && options.other));
  REQUIRE(fuzz::is_utf8(options.first) && fuzz::is_utf8(options.name.value_or("")));
}

// The same line with "--name VALUE" written as "--name=VALUE", which CLI11 splits. The line is unchanged if an option
// would swallow another one ("--name=" does).
std::vector<std::string> joined(const std::vector<std::string>& words) {
  const std::set<std::string> options = {"--name",   "--label", "--task", "--number", "--priority",
                                         "--status", "--time",  "--team", "--as",     "--lock-timeout",
                                         "-n",       "-p",      "-t",     "-C"};
  std::vector<std::string> others;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].ends_with('=')) return words;
    if (!options.contains(words[i])) {
      others.push_back(words[i]);
      continue;
    }
    if (i + 1 == words.size() || words[i + 1].empty() || words[i + 1][0] == '-') return words;
    if (words[i].starts_with("--")) others.push_back(words[i] + "=" + words[i + 1]);
    else others.insert(others.end(), {words[i], words[i + 1]});
    ++i;
  }
  return others;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  fuzz::Source source(fuzz::text_of(bytes, size));
  std::vector<std::string> words;
  while (!source.is_empty() && words.size() < 64) words.emplace_back(source.piece());
  const Result result = run(words);
  if (std::find(words.begin(), words.end(), "--") == words.end()) {
    const Result other = run(joined(words));
    REQUIRE(other.status == result.status && other.options == result.options && other.err == result.err);
  }
  if (result.status == 0) {
    REQUIRE(result.err.empty() && result.ran == result.out.empty());
    if (result.ran) check_options(result.options);
    return 0;
  }
  REQUIRE(result.status == 2 && !result.ran && result.out.empty());
  REQUIRE(result.err.find('\n') == result.err.size() - 1);
  const std::string line = result.err.substr(0, result.err.size() - 1);
  REQUIRE(fuzz::is_safe_for_terminal(line) && (line.starts_with("fuzzed: usage: ") || fuzz::is_json(line)));
  return 0;
}
