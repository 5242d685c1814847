#include "libteam/agent/tools/background.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "libteam/base/name.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"
#include "libteam/system/event_fd.h"
#include "libteam/system/process.h"

namespace team {

namespace {

// The capacity of a pipe: nobody could write the rest later.
constexpr std::size_t kMostInput = 64 * 1024;
constexpr std::size_t kMostWhat = 200;

void hear_nothing(Child::Stream, std::string_view) {}

// The end of `text` in whole characters; it may begin in the middle of one.
std::string_view last_characters(std::string_view text, std::size_t most) {
  if (text.size() > most) text.remove_prefix(text.size() - most);
  for (int i = 0; i < 3 && !text.empty() && (static_cast<unsigned char>(text.front()) & 0xC0) == 0x80; ++i) {
    text.remove_prefix(1);
  }
  return text;
}

Folder open_folder(const std::string& path) {
  if (auto folder = Folder::find(path)) return std::move(*folder);
  fail(Code::io, "cannot open '{}': it has gone", path);
}

}  // namespace

struct Background::Running {
  Running(Job started, std::string name, const Program& program)
      : job(std::move(started)), file_name(std::move(name)), child(program) {}
  Job job;
  std::string file_name;
  // Kept until the end is reported: its descriptor makes fd() readable.
  std::optional<Child> child;
  bool told = false;
};

Background::Background(const std::string& folder, std::string prefix)
    : folder_(open_folder(folder)), prefix_(std::move(prefix)), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_) fail_errno("cannot wait for", "programs");
}

Background::~Background() {
  // All get the signal first, so that this takes as long as the slowest and not as long as the sum.
  for (const auto& one : all_) {
    if (!one->job.status && one->child) one->child->stop();
  }
  for (const auto& one : all_) {
    if (one->job.status || !one->child) continue;
    try {
      while (one->child->wait(Deadline::never(), -1, hear_nothing) != Child::Woke::ended) continue;
    } catch (const Error&) {
      one->child.reset();  // kills it
    }
  }
}

Background::Job Background::start(Program program, const std::string& kind, const std::string& what) {
  const auto is_taken = [&](const std::string& id) {
    return std::any_of(all_.begin(), all_.end(), [&](const auto& one) { return one->job.id == id; });
  };
  std::size_t number = 1;
  while (is_taken(fmt::format("{}-{}", kind, number))) ++number;
  return start_as(std::move(program), fmt::format("{}-{}", kind, number), what);
}

Background::Job Background::start_as(Program program, const std::string& id, const std::string& what) {
  if (!is_name(id)) fail(Code::usage, "'{}' is no id for a program", one_line(id));
  if (program.input.size() > kMostInput) {
    fail(Code::usage, "input of {} bytes: {} at most", program.input.size(), kMostInput);
  }
  look();
  const auto same = [&](const auto& one) { return one->job.id == id; };
  const auto former = std::find_if(all_.begin(), all_.end(), same);
  if (former != all_.end() && (!(*former)->job.status || !(*former)->told)) {
    fail(Code::conflict, "there is a program '{}' already", id);
  }
  const std::string name = prefix_.empty() ? fmt::format("{}.txt", id) : fmt::format("{}-{}.txt", prefix_, id);
  folder_.remove(name);  // left by an earlier run
  const Fd file = folder_.open(name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND);
  program.output = file.get();
  const Job job{id, cut_characters(one_line(repair_utf8(what)), kMostWhat), folder_.path_of(name), std::nullopt, false};
  auto running = std::make_unique<Running>(job, name, program);
  epoll_event event{};
  event.events = EPOLLIN;
  const int end = running->child->end_fd();
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, end, &event) != 0) fail_errno("cannot wait for", id);
  if (former != all_.end()) all_.erase(former);
  all_.push_back(std::move(running));
  look();  // writes the input: until then the program does not see its end
  return job;
}

Background::Running& Background::find(const std::string& id) const {
  std::vector<std::string> known;
  for (const auto& one : all_) {
    if (one->job.id == id) return *one;
    known.push_back(one->job.id);
  }
  fail(Code::not_found, "no program '{}' in the background; there is {}", cut_characters(one_line(id), 64),
       known.empty() ? "none" : join(known, ", "));
}

// Finds the programs that have ended.
void Background::look() {
  for (const auto& one : all_) {
    if (one->job.status) continue;
    // The status comes first and then the end: both may be there.
    do {
      if (one->child->wait(Deadline::in(0), -1, hear_nothing) == Child::Woke::ended) {
        one->job.status = one->child->status();
      }
    } while (!one->job.status && can_be_read(one->child->end_fd()));
  }
}

Background::Job Background::get(const std::string& id) {
  look();
  return find(id).job;
}

std::string Background::output(const std::string& id, std::size_t most_bytes) const {
  const Fd file = folder_.open_if_there(find(id).file_name, O_RDONLY | O_NONBLOCK);
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) return {};
  const auto size = static_cast<std::size_t>(status.st_size);
  std::string text(std::min(size, most_bytes), '\0');
  std::size_t filled = 0;
  while (filled < text.size()) {
    const auto at = static_cast<off_t>(size - text.size() + filled);
    const ssize_t got = ::pread(file.get(), text.data() + filled, text.size() - filled, at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_errno("cannot read", find(id).job.file);
    if (got == 0) break;  // the file was truncated meanwhile
    filled += static_cast<std::size_t>(got);
  }
  std::string_view said(text.data(), filled);
  if (filled < size) said = last_characters(said, filled);
  const std::string repaired = repair_utf8(said.substr(0, whole_characters(said)));
  return std::string(repaired.size() > most_bytes ? last_characters(repaired, most_bytes) : repaired);
}

bool Background::wait(const std::string& id, const Deadline& deadline, int interrupt) {
  Running& one = find(id);
  while (!one.job.status) {
    const Child::Woke woke = one.child->wait(deadline, interrupt, hear_nothing);
    if (woke == Child::Woke::deadline || woke == Child::Woke::interrupted) return false;
    if (woke == Child::Woke::ended) one.job.status = one.child->status();
  }
  return true;
}

bool Background::stop(const std::string& id) {
  look();
  Running& one = find(id);
  if (one.job.status) return false;
  one.child->stop();
  one.job.stopped = true;
  wait(id, Deadline::never(), -1);
  return true;
}

void Background::stop_all() {
  look();
  for (const auto& one : all_) {
    if (one->job.status) continue;
    one->child->stop();
    one->job.stopped = true;
  }
  for (const auto& one : all_) wait(one->job.id, Deadline::never(), -1);
}

std::vector<Background::Job> Background::take_ended() {
  look();
  std::vector<Job> ended;
  for (const auto& one : all_) {
    if (!one->job.status || one->told) continue;
    ended.push_back(one->job);
    forget_end(one->job.id);
  }
  return ended;
}

void Background::forget_end(const std::string& id) {
  Running& one = find(id);
  if (!one.job.status || one.told) return;
  one.told = true;
  // Removed explicitly: the keepers of other programs inherited the descriptor, so closing ours is not enough.
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, one.child->end_fd(), nullptr);
  one.child.reset();
}

bool Background::has_news_to_come() const {
  return std::any_of(all_.begin(), all_.end(), [](const auto& one) { return !one->told; });
}

int Background::fd() const { return epoll_.get(); }

}  // namespace team
