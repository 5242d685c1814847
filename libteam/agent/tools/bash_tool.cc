#include "libteam/agent/tools/bash_tool.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "libteam/base/error.h"
#include "libteam/base/secrets.h"
#include "libteam/base/utf8.h"
#include "libteam/system/environment.h"
#include "libteam/system/event_fd.h"
#include "libteam/system/id.h"
#include "libteam/system/process.h"

namespace team {

namespace {

constexpr double kDefaultSeconds = 120;
constexpr double kMostSeconds = 600;
constexpr double kDefaultPatience = 30;
constexpr std::size_t kHead = 8 * 1024;
constexpr std::size_t kTail = 24 * 1024;
constexpr std::size_t kMostKept = std::size_t{64} << 20;
constexpr std::size_t kMostCommand = 128 * 1024 - 1;  // the limit of the system for one argument
constexpr std::size_t kMostShown = 32 * 1024;

constexpr const char* kBashSchema = R"({
  "type": "object",
  "properties": {
    "command": {"type": "string", "description": "The command, for bash"},
    "timeout": {"type": "number", "minimum": 0,
                "description": "Seconds after which it is ended: 120 by default, at most 600"},
    "run_in_background": {"type": "boolean", "description": "Do not wait for it"}
  },
  "required": ["command"]
})";

constexpr const char* kTaskOutputSchema = R"({
  "type": "object",
  "properties": {
    "task_id": {"type": "string", "description": "What it was started as, such as bash-1"},
    "block": {"type": "boolean", "description": "Wait until it has ended; true by default"},
    "timeout": {"type": "number", "minimum": 0, "description": "Seconds to wait: 30 by default, at most 600"}
  },
  "required": ["task_id"]
})";

constexpr const char* kTaskStopSchema = R"({
  "type": "object",
  "properties": {"task_id": {"type": "string", "description": "What it was started as, such as bash-1"}},
  "required": ["task_id"]
})";

// Makes the folder (0700) if it is missing.
Folder folder_at(const std::string& path) {
  if (auto found = Folder::find(path.empty() ? "/" : path)) return std::move(*found);
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) fail(Code::io, "cannot make folder '{}'", path);
  return folder_at(path.substr(0, slash)).make_beneath(path.substr(slash + 1), Durability::process);
}

// The output of a command: its beginning and its end in memory, and all of it in a file if that is not enough.
class CapturedOutput {
 public:
  explicit CapturedOutput(const BashPlace& place) : place_(place) {}

  void add(std::string_view text) {
    const std::size_t before = total_;
    total_ += text.size();
    if (before <= kHead + kTail && total_ > kHead + kTail) keep_file();
    if (file_ && before < kMostKept && !write_all(file_.get(), text.substr(0, kMostKept - before))) lose_file();
    const std::size_t to_head = std::min(text.size(), kHead - head_.size());
    head_.append(text.substr(0, to_head));
    tail_.append(text.substr(to_head));
    if (tail_.size() > 8 * kTail) tail_.erase(0, tail_.size() - kTail);
  }

  std::string text() const {
    if (total_ <= kHead + kTail) return head_ + tail_;
    const std::string_view first = std::string_view(head_).substr(0, whole_characters(head_));
    std::string_view last(tail_);
    last.remove_prefix(last.size() - kTail);
    for (int i = 0; i < 3 && (static_cast<unsigned char>(last.front()) & 0xC0) == 0x80; ++i) last.remove_prefix(1);
    return fmt::format("{}\n[… {} bytes left out; {} …]\n{}", first, total_ - first.size() - last.size(), where(),
                       last);
  }

 private:
  void keep_file() {
    try {
      const Folder folder = folder_at(place_.outputs);
      const std::string name = fmt::format("{}-{}.txt", place_.prefix, new_id());
      sweep(folder);
      file_ = folder.open(name, O_WRONLY | O_CREAT | O_EXCL);
      path_ = folder.path_of(name);
      if (!write_all(file_.get(), head_) || !write_all(file_.get(), tail_)) lose_file();
    } catch (const Error& error) {
      trouble_ = error.what();
    }
  }
  // The newest files stay. Their names sort by time.
  void sweep(const Folder& folder) const {
    constexpr std::size_t kMostFiles = 50;
    std::vector<std::string> names;
    folder.each_name([&](const char* entry) {
      const std::string_view name = entry;
      constexpr std::size_t kLengthOfId = 26;
      const bool ours = name.starts_with(place_.prefix + "-") && name.ends_with(".txt") &&
                        name.size() == place_.prefix.size() + 1 + kLengthOfId + 4;
      if (ours) names.emplace_back(name);
    });
    std::sort(names.begin(), names.end());
    for (std::size_t i = 0; i + kMostFiles < names.size() + 1; ++i) folder.remove(names[i]);
  }
  // A full disk must not make the command fail.
  void lose_file() {
    trouble_ = std::strerror(errno);
    file_ = Fd();
  }
  std::string where() const {
    if (!trouble_.empty()) return fmt::format("all of it could not be kept: {}", trouble_);
    if (total_ > kMostKept) return fmt::format("the first {} MiB of it are in {}", kMostKept >> 20, path_);
    return fmt::format("all of it is in {}", path_);
  }

  const BashPlace& place_;
  std::size_t total_ = 0;
  std::string head_, tail_;
  Fd file_;
  std::string path_, trouble_;
};

Program program_of(const std::string& command, const BashPlace& place) {
  if (command.find('\0') != std::string::npos) fail(Code::usage, "the command holds a NUL");
  if (command.size() > kMostCommand) {
    fail(Code::usage, "the command has {} bytes, {} at most: write it to a file and run that", command.size(),
         kMostCommand);
  }
  const char* shell = ::access("/bin/bash", X_OK) == 0 ? "/bin/bash" : "/bin/sh";
  Program program;
  // One pipe for both streams keeps the order of the output.
  program.arguments = {"/bin/sh", "-c", R"(exec "$0" -c "$1" 2>&1)", shell, command};
  program.directory = place.directory;
  for (const auto& variable : place.environment) {
    if (!is_secret(variable.first)) program.environment.push_back(variable);
  }
  for (auto& variable : without_secrets()) program.environment.push_back(std::move(variable));
  return program;
}

void add_line(std::string& text, const std::string& line) {
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  text += line;
}

ToolResult run_command(const Program& program, const BashPlace& place, double seconds, int interrupt) {
  if (can_be_read(interrupt)) return {"(not started)\n[interrupted]", true};
  CapturedOutput heard(place);
  Child child(program);
  const auto hear = [&](Child::Stream, std::string_view text) { heard.add(text); };
  const double limit = std::min(seconds, kMostSeconds);
  Child::Woke woke = Child::Woke::heard;
  for (const Deadline deadline = Deadline::in(limit); woke == Child::Woke::heard;) {
    woke = child.wait(deadline, interrupt, hear);
  }
  if (woke != Child::Woke::ended) {
    child.stop();
    while (child.wait(Deadline::never(), -1, hear) != Child::Woke::ended) continue;
  }
  ToolResult result{heard.text(), woke != Child::Woke::ended || child.status() != 0};
  if (result.text.empty()) result.text = "(no output)";
  if (seconds > kMostSeconds) {
    add_line(result.text, fmt::format("[the timeout of {:g} s was cut to {:g} s]", seconds, kMostSeconds));
  }
  if (woke == Child::Woke::deadline) add_line(result.text, fmt::format("[not done within {:g} s: ended]", limit));
  else if (woke == Child::Woke::interrupted) add_line(result.text, "[interrupted]");
  else if (child.status() != 0) add_line(result.text, fmt::format("[exit status {}]", child.status()));
  return result;
}

std::string describe(const Background::Job& job) {
  if (!job.status) return fmt::format("{}: running", job.id);
  if (job.stopped) return fmt::format("{}: stopped", job.id);
  return fmt::format("{}: ended with exit status {}", job.id, *job.status);
}

ToolResult show_job(Background& background, const Arguments& arguments, int interrupt) {
  const std::string id = arguments.text("task_id");
  if (arguments.find_flag("block").value_or(true)) {
    const double seconds = arguments.find_number("timeout").value_or(kDefaultPatience);
    background.wait(id, Deadline::in(std::min(seconds, kMostSeconds)), interrupt);
  }
  const Background::Job job = background.get(id);
  // One more byte tells whether this is all.
  std::string said = background.output(id, kMostShown + 1);
  std::string text = describe(job);
  if (said.size() > kMostShown) {
    said = background.output(id, kMostShown);
    add_line(text, fmt::format("[only the end is shown; all of it is in {}]", job.file));
  }
  add_line(text, said.empty() ? "(no output)" : said);
  if (job.status) background.forget_end(id);
  return {text, false};
}

ToolResult stop_job(Background& background, const std::string& id) {
  if (!background.stop(id)) {
    const Background::Job job = background.get(id);
    fail(Code::invalid_state, "{} had ended before{}", id,
         job.stopped ? ": it was stopped" : fmt::format(", with exit status {}", *job.status));
  }
  background.forget_end(id);
  return {fmt::format("{} is stopped.", id), false};
}

}  // namespace

void add_bash_tool(Toolbox& tools, const BashPlace& place, Background& background) {
  const std::string description =
      "Runs a command with bash and gives back what it says on stdout and stderr. When it ends, all that it started "
      "is ended too. With run_in_background it goes on while you do other things, and you are told when it ends.";
  tools.add({"bash", description, kBashSchema}, [place, &background](const Arguments& arguments, int interrupt) {
    const std::string command = arguments.text("command");
    const Program program = program_of(command, place);
    if (!arguments.flag("run_in_background")) {
      return run_command(program, place, arguments.find_number("timeout").value_or(kDefaultSeconds), interrupt);
    }
    const Background::Job job = background.start(program, "bash", command);
    return ToolResult{
        fmt::format("Started as {}. What it says goes to {}. You will be told when it ends.", job.id, job.file), false};
  });
}

void add_background_tools(Toolbox& tools, Background& background) {
  tools.add(
      {"TaskOutput", "Shows whether something in the background runs, and the end of what it said.", kTaskOutputSchema},
      [&background](const Arguments& arguments, int interrupt) { return show_job(background, arguments, interrupt); });
  tools.add({"TaskStop", "Ends something that runs in the background, with all that it started.", kTaskStopSchema},
            [&background](const Arguments& arguments, int) { return stop_job(background, arguments.text("task_id")); });
}

}  // namespace team
