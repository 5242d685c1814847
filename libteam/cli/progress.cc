#include "libteam/cli/progress.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "libteam/base/clock.h"
#include "libteam/base/columns.h"
#include "libteam/base/environment_variable.h"
#include "libteam/base/text.h"
#include "libteam/store/board.h"
#include "libteam/store/watcher.h"
#include "libteam/system/file.h"

namespace team {

namespace {

constexpr double kRedraw = 1;         // seconds
constexpr double kShareOfTime = 0.1;  // maximum share of the time for looking at the board

std::size_t width_of_terminal() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

std::string describe_elapsed(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds);
  const std::int64_t hours = whole / 3600, minutes = whole / 60 % 60;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60)
                   : fmt::format("{}:{:02}", minutes, whole % 60);
}

// False while another process, such as a shell, has the terminal.
bool may_draw() { return ::tcgetpgrp(STDERR_FILENO) == ::getpgrp(); }

// True if the terminal can erase a line.
bool is_drawable() {
  const auto terminal = environment_variable("TERM");
  return ::isatty(STDERR_FILENO) == 1 && terminal && *terminal != "dumb";
}

std::string describe_board(const BoardView& view, const std::set<TaskId>& wanted) {
  std::size_t total = 0, completed = 0, failed = 0;
  std::vector<std::string> running;
  const auto count = [&](const SeenTask& seen) {
    const Task& task = seen.task;
    if (!wanted.empty() && !wanted.contains(task.id)) return;
    ++total;
    completed += task.status == Status::completed ? 1 : 0;
    failed += task.status == Status::failed ? 1 : 0;
    if (task.status == Status::in_progress) running.push_back(fmt::format("{} #{}", task.owner.value_or("-"), task.id));
  };
  view.each({}, BoardView::Detail::open_blockers, count, [](TaskId, const Error&) {});
  std::string text = fmt::format("{} of {} done", completed, total);
  if (failed > 0) text += fmt::format(", {} failed", failed);
  return running.empty() ? text : text + "; " + join(running, ", ");
}

}  // namespace

Progress::Progress(const Engine& engine, const Team* team, Ending ending, std::vector<TaskId> tasks)
    : engine_(engine), tasks_(tasks.begin(), tasks.end()) {
  if (team != nullptr) team_ = *team;
  if (!is_drawable()) return;
  if (ending == Ending::by_signals) signals_.emplace();
  thread_.emplace([this] { run(); });
}

Progress::~Progress() {
  if (!thread_) return;
  end_.ring();
  thread_->join();
  hide();
}

Progress::Pause::Pause(Progress& progress) : lock_(progress.mutex_) { progress.wipe(); }

void Progress::hide() {
  const std::lock_guard lock(mutex_);
  is_hidden_ = true;
  wipe();
}

void Progress::wipe() {
  if (drawn_.empty() || !may_draw()) return;
  write_all(STDERR_FILENO, "\r\x1b[K");
  drawn_.clear();
}

void Progress::show() {
  const std::lock_guard lock(mutex_);
  is_hidden_ = false;
}

void Progress::draw(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (is_hidden_ || text == drawn_ || !may_draw()) return;
  write_all(STDERR_FILENO, "\r\x1b[K" + text);
  drawn_ = text;
}

// Handles a signal: removes the line, then lets the signal end the process as usual.
void Progress::end_by(int signal) {
  hide();
  ::signal(signal, SIG_DFL);
  sigset_t one;
  ::sigemptyset(&one);
  ::sigaddset(&one, signal);
  ::kill(::getpid(), signal);
  ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
}

void Progress::run() {
  const double began = now();
  try {
    Board board = engine_.open_board(team_ ? &*team_ : nullptr, Missing::refuse);
    const auto watcher = engine_.make_watcher();
    const auto watch_board = [&] {
      watcher->begin(board);
      watcher->watch_tasks();
      watcher->wake_on(end_.fd());
      if (signals_) watcher->wake_on(signals_->fd());
    };
    watch_board();
    bool is_missing = false;
    std::string tasks;
    Deadline next = Deadline::in(0);
    bool has_changed = true;
    while (!can_be_read(end_.fd())) {
      if (const auto signal = signals_ ? signals_->take() : std::nullopt) end_by(*signal);
      if (has_changed && !is_missing && next.passed()) {
        const double start = now();
        tasks = describe_board(board.view(), tasks_);
        next = Deadline::in(std::max(0.1, (now() - start) / kShareOfTime));
        has_changed = false;
      }
      draw(cut_columns(fmt::format("{}  {}", describe_elapsed(now() - began), tasks), width_of_terminal() - 1));
      const TeamChanges changes = watcher->wait(has_changed ? next.or_in(kRedraw) : Deadline::in(kRedraw));
      has_changed = changes.any || has_changed;
      if (!changes.everything && !is_missing) continue;
      const Board::Place place = board.reopen();
      is_missing = place == Board::Place::missing;
      if (place == Board::Place::another) watch_board();
    }
  } catch (const Error&) {
    return;  // the waiting command reports the error
  }
}

}  // namespace team
