#include "libteam/repo/check.h"

#include <fcntl.h>
#include <string.h>

#include <algorithm>
#include <string_view>

#include "libteam/base/clock.h"
#include "libteam/base/error.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/utf8.h"
#include "libteam/system/process.h"

namespace team {

namespace {

constexpr std::size_t kMostInFile = 1 << 20;
constexpr std::size_t kMostOfEnd = 4096;

// Keeps the end of the output and writes the beginning into a file. A file that cannot be written is only missing: the
// disk may be full by what the check does.
class Output {
 public:
  explicit Output(const std::string& path) {
    if (!path.empty()) file_ = Fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  }

  bool has_file() const { return static_cast<bool>(file_); }

  void add(std::string_view text) {
    const std::size_t room = kMostInFile - std::min(kMostInFile, size_);
    if (file_ && room > 0) write_all(file_.get(), text.substr(0, room));
    size_ += text.size();
    end_ += text;
    if (end_.size() > 4 * kMostOfEnd) end_.erase(0, end_.size() - kMostOfEnd);
  }

  // Whole lines, if possible.
  std::string finish() {
    if (end_.size() > kMostOfEnd) end_.erase(0, end_.size() - kMostOfEnd);
    const bool is_cut = size_ > end_.size();
    if (const auto newline = end_.find('\n'); is_cut && newline + 1 < end_.size()) end_.erase(0, newline + 1);
    if (file_ && size_ > kMostInFile) {
      write_all(file_.get(), fmt::format("\n[... {} bytes ...]\n{}", size_ - kMostInFile, end_));
    }
    std::string text = repair_utf8(end_);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    return text;
  }

 private:
  Fd file_;
  std::size_t size_ = 0;
  std::string end_;
};

std::string describe_status(int status) {
  if (status <= 128) return fmt::format("exit status {}", status);
  return fmt::format("ended by signal {} ({})", status - 128, ::strsignal(status - 128));
}

}  // namespace

CheckResult run_check(const CheckRequest& request) {
  Program program;
  program.arguments = {"/bin/sh", "-c", request.command};
  program.directory = request.folder;
  program.environment = request.environment;
  Output output(request.output);
  const double began = now();
  const Deadline limit = request.seconds > 0 ? Deadline::in(request.seconds) : Deadline::never();
  bool in_time = true, interrupted = false;
  Child child(program);
  const auto hear = [&](Child::Stream, std::string_view text) { output.add(text); };
  while (true) {
    const bool goes_on = in_time && !interrupted;
    const Child::Woke woke = child.wait(goes_on ? limit : Deadline::never(), goes_on ? request.interrupt : -1, hear);
    if (woke == Child::Woke::ended) break;
    if (woke == Child::Woke::interrupted) interrupted = true;
    else if (goes_on && limit.passed()) in_time = false;
    else continue;
    child.stop();
  }
  CheckResult result;
  result.receipt = {.command = request.command,
                    .status = child.status(),
                    .seconds = std::max(0.0, now() - began),
                    .clean = request.is_clean,
                    .output = output.has_file() ? std::optional(request.output) : std::nullopt};
  const std::string end = output.finish();
  if (interrupted) {
    result.kind = CheckResult::Kind::interrupted;
    result.reason = "the check was interrupted";
  } else if (!in_time || child.status() != 0) {
    result.kind = CheckResult::Kind::failed;
    result.reason = fmt::format("the check '{}' failed: {}", one_line(request.command),
                                in_time ? describe_status(child.status())
                                        : fmt::format("not done within {} s (tasks.checkTime)", request.seconds));
    if (!end.empty()) result.reason += "; the end of its output:\n" + end;
  }
  return result;
}

}  // namespace team
